import type { JsonObject, JsonValue } from '@rondo/protocol';

/** A block that is not sent to a model as it was stored. */
export interface QuarantinedBlock {
  readonly entryId: string;
  /** Set when the block is in the result of a call. */
  readonly callId?: string;
  /** The block's place in its entry or result. */
  readonly block: number;
}

/** What a notice says of blocks that are left out for one reason, for programs. */
export function quarantineDetails(reason: string, blocks: readonly QuarantinedBlock[]): JsonObject {
  return { status: 'quarantined', reason, blocks: blocks.map((block) => ({ ...block })) };
}

/** Names what was said: the same block, for the same reason. */
export function quarantineKey({ entryId, callId, block }: QuarantinedBlock, reason: string): string {
  return `${callId ?? entryId} ${block} ${reason}`;
}

/** The names of all that a notice said; none for a notice about something else. */
export function quarantineKeys(details: JsonObject | undefined): string[] {
  const { status, reason, blocks } = details ?? {};
  if (status !== 'quarantined' || typeof reason !== 'string' || !Array.isArray(blocks)) return [];
  return (blocks as readonly JsonValue[]).filter(isQuarantinedBlock).map((block) => quarantineKey(block, reason));
}

function isQuarantinedBlock(value: JsonValue): value is JsonValue & QuarantinedBlock {
  return (
    typeof value === 'object' &&
    value !== null &&
    'entryId' in value &&
    typeof value['entryId'] === 'string' &&
    typeof value['block'] === 'number' &&
    (value['callId'] === undefined || typeof value['callId'] === 'string')
  );
}
