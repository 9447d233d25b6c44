import { LOG_FORMAT_VERSION } from '@rondo/protocol/values';
import { crc32 } from './crc32.ts';
import type { LogState } from '../event/log-state.ts';
import { SUMMARY_VERSION } from '../event/session-summary.ts';
import type { FileSystem, OpenFile } from './file-system.ts';

/** What a log says up to a place: what its store knows of it, and what an engine made of it. */
export interface LogSnapshot {
  readonly state: LogState;
  /** The engine's name for the kind of value. */
  readonly version: string;
  readonly value: unknown;
}

/** A snapshot's first part, which is read without the engine's value. */
interface Head extends Pick<LogSnapshot, 'state' | 'version'> {
  /** Of the log's bytes just before `state.offset`: it stands for this log, and this log as it was. */
  readonly anchor: number;
  readonly valueBytes: number;
  readonly valueSum: number;
}

/** Grows whenever the file is shaped differently. */
const SNAPSHOT_VERSION = 1;
const FIRST_LINE_BYTES = 64;
const LONGEST_HEAD = 1024 * 1024;
/** So much of the log holds several of its lines, with their checksums, numbers and times. */
const ANCHOR_BYTES = 4096;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The value's bytes, as it is now. @throws where it cannot be copied. */
export function serializeValue(value: unknown): Uint8Array {
  return v8().serialize(value);
}

/** What stands before the value's bytes in a snapshot of that log. */
export async function encodeHead(
  sessionId: string,
  log: OpenFile,
  { state, version, value }: Omit<LogSnapshot, 'value'> & { readonly value: Uint8Array },
): Promise<Uint8Array> {
  const anchor = await anchorOf(log, state.offset);
  const head: Head = { state, version, anchor, valueBytes: value.length, valueSum: crc32(value) };
  const json = encoder.encode(JSON.stringify(head));
  const line = encoder.encode(firstLine(json.length, sealOf(sessionId, json)));
  const bytes = new Uint8Array(line.length + json.length);
  bytes.set(line);
  bytes.set(json, line.length);
  return bytes;
}

/**
 * Writes the file anew, at once or not at all, and does not wait for the disk: a snapshot that a power cut tears is one
 * whose checksum is wrong.
 */
export async function writeSnapshot(
  fileSystem: FileSystem,
  path: string,
  { head, value }: { readonly head: Uint8Array; readonly value: Uint8Array },
): Promise<void> {
  const temporary = `${path}.part`;
  const file = await fileSystem.open(temporary, 'update');
  try {
    // What an earlier process left of one may be longer.
    if (file.status().size > 0) await file.truncate(0);
    await file.write(head, 0);
    await file.write(value, head.length);
  } finally {
    await file.close();
  }
  await fileSystem.rename(temporary, path);
}

/** Reads what the store itself knows. Undefined for a snapshot that is not there, not whole, or not of the log up to `limit`. */
export function readSnapshotState(place: SnapshotPlace): Promise<LogState | undefined> {
  return withHead(place, (_file, { state }) => Promise.resolve(state));
}

/** Reads all of it, where the value is of that version. Undefined where it is no use. */
export function readSnapshot(place: SnapshotPlace, version: string): Promise<LogSnapshot | undefined> {
  return withHead(place, async (file, head, valueAt) => {
    if (head.version !== version) return undefined;
    const bytes = new Uint8Array(head.valueBytes);
    if ((await file.read(bytes, valueAt)) !== bytes.length || crc32(bytes) !== head.valueSum) return undefined;
    return { state: head.state, version, value: v8().deserialize(bytes) };
  });
}

export interface SnapshotPlace {
  readonly fileSystem: FileSystem;
  readonly path: string;
  readonly sessionId: string;
  readonly log: OpenFile;
  /** Bytes of the log from here on are not looked at. */
  readonly limit: number;
}

async function withHead<Result>(
  { fileSystem, path, sessionId, log, limit }: SnapshotPlace,
  use: (file: OpenFile, head: Head, valueAt: number) => Promise<Result>,
): Promise<Result | undefined> {
  if (fileSystem.status(path) === undefined) return undefined;
  let file: OpenFile | undefined;
  try {
    file = await fileSystem.open(path, 'read');
    const line = new Uint8Array(FIRST_LINE_BYTES);
    await file.read(line, 0);
    const length = Number(decoder.decode(line).slice(16, 24));
    if (!Number.isInteger(length) || length > LONGEST_HEAD) return undefined;
    const json = new Uint8Array(length);
    await file.read(json, FIRST_LINE_BYTES);
    if (decoder.decode(line) !== firstLine(length, sealOf(sessionId, json))) return undefined;
    // Sealed by us under this version: what the checksum lets through is what was written.
    const head = JSON.parse(decoder.decode(json)) as Head;
    const valueAt = FIRST_LINE_BYTES + length;
    if (file.status().size !== valueAt + head.valueBytes || head.state.offset > limit) return undefined;
    if ((await anchorOf(log, head.state.offset)) !== head.anchor) return undefined;
    return await use(file, head, valueAt);
  } catch {
    // Whatever is wrong with it, the log says the same.
    return undefined;
  } finally {
    await file?.close();
  }
}

/** Loaded with the first snapshot: a short session has none. */
function v8() {
  return process.getBuiltinModule('node:v8');
}

async function anchorOf(log: OpenFile, offset: number): Promise<number> {
  const bytes = new Uint8Array(Math.min(ANCHOR_BYTES, offset));
  const count = await log.read(bytes, offset - bytes.length);
  return count === bytes.length ? crc32(bytes) : -1;
}

function firstLine(length: number, seal: string): string {
  return `rondo.snapshot  ${String(length).padStart(8)} ${seal}`.padEnd(FIRST_LINE_BYTES - 1).concat('\n');
}

/** Holds for this session, these formats and these folds only. */
function sealOf(sessionId: string, json: Uint8Array): string {
  const versions = encoder.encode(`${SNAPSHOT_VERSION} ${LOG_FORMAT_VERSION} ${SUMMARY_VERSION} ${sessionId} `);
  const bytes = new Uint8Array(versions.length + json.length);
  bytes.set(versions);
  bytes.set(json, versions.length);
  return crc32(bytes).toString(16).padStart(8, '0');
}
