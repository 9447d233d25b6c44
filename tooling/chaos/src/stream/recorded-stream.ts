import { readdirSync, readFileSync } from 'node:fs';

/** A reply as a vendor sends it. */
export interface RecordedStream {
  /** The folder it is in. */
  readonly wire: string;
  readonly name: string;
  readonly bytes: Buffer;
}

const fixtures = new URL('../../../../packages/providers/fixtures/', import.meta.url);

/** Every recorded reply of a wire, in the order of their names. */
export function recordedStreams(wire: string): readonly RecordedStream[] {
  const folder = new URL(`${wire}/`, fixtures);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sse'))
    .toSorted()
    .map((name) => ({ wire, name: name.slice(0, -'.sse'.length), bytes: readFileSync(new URL(name, folder)) }));
}
