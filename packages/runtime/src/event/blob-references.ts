import type { AnyEvent, BlobReference } from '@rondo/protocol';

/** The blobs that an event refers to, each once. */
export function blobReferences(event: AnyEvent): readonly BlobReference[] {
  const references = new Map<string, BlobReference>();
  collectReferences(event, references);
  return [...references.values()];
}

function collectReferences(value: unknown, references: Map<string, BlobReference>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if ((key === 'spilled' || key === 'structuredSpilled') && isReference(member)) references.set(member.hash, member);
    else collectReferences(member, references);
  }
}

function isReference(value: unknown): value is BlobReference {
  return (
    typeof value === 'object' && value !== null && 'hash' in value && typeof value.hash === 'string' && 'bytes' in value
  );
}
