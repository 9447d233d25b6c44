import { open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { isRondoError, isUuid, RondoError } from '@rondo/protocol/values';
import { withHome } from '../sessions/with-home.ts';
import { addTranscript } from './add-transcript.ts';
import type { ImportedSession, ImportReport, ImportSessionsOptions } from './import-report.ts';
import { readChain, type TranscriptEntry } from './read-chain.ts';

/** Characters of a line that an error shows. */
const SHOWN = 60;

/** What `importSessions` does, once that is asked for. */
export async function importFiles(
  files: readonly string[],
  { dryRun = false, dir = process.cwd(), ...where }: ImportSessionsOptions,
): Promise<ImportReport> {
  const sessions: ImportedSession[] = [];
  const problems: string[] = [];
  for (const file of files) {
    const bySession = await readFile(file, problems);
    if (bySession.size === 0) problems.push(`${file}: holds no line of a conversation`);
    await withHome(where, async (client, runtime) => {
      for (const [sessionId, entries] of bySession) {
        try {
          const chain = readChain(entries);
          const added = await addTranscript({ client, runtime, sessionId, chain, cwd: resolve(dir), isDry: dryRun });
          sessions.push({ sessionId, file, ...added });
        } catch (error) {
          if (!isRondoError(error)) throw error;
          sessions.push({ sessionId, file, error });
        }
      }
    });
  }
  return { sessions, problems };
}

/** The lines of a file by their session, in order. Lines that name none, such as summaries, are of the session before them. */
async function readFile(path: string, problems: string[]): Promise<Map<string, TranscriptEntry[]>> {
  const bySession = new Map<string, TranscriptEntry[]>();
  const named = /^[0-9a-f-]{36}$/i.exec(basename(path).replace(/\.jsonl$/, ''))?.[0];
  let last: string | undefined = isUuid(named) ? named : undefined;
  const unnamed: TranscriptEntry[] = [];
  let number = 0;
  const file = await open(path, 'r').catch((error: unknown) => {
    throw new RondoError('input.invalid', `${path} cannot be read: ${messageOf(error)}`, { cause: error });
  });
  try {
    for await (const text of file.readLines({ encoding: 'utf8' })) {
      number += 1;
      const line = number === 1 ? text.replace(/^\uFEFF/, '') : text;
      if (line.trim() === '') continue;
      const entry = entryOf(line);
      if (typeof entry === 'string') {
        problems.push(`${path}:${number}: ${entry}`);
        continue;
      }
      const id = entry['sessionId'] ?? entry['session_id'];
      const sessionId = isUuid(id) ? id.toLowerCase() : last;
      if (sessionId === undefined) {
        unnamed.push(entry);
        continue;
      }
      last = sessionId;
      const entries = bySession.get(sessionId) ?? [];
      bySession.set(sessionId, entries);
      entries.push(...unnamed.splice(0), entry);
    }
  } catch (error) {
    if (isRondoError(error)) throw error;
    throw new RondoError('input.invalid', `${path}:${number + 1} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  } finally {
    await file.close();
  }
  if (unnamed.length > 0) problems.push(`${path}: ${unnamed.length} lines name no session, and were left out`);
  return bySession;
}

/** The line's value, or what is wrong with it. */
function entryOf(line: string): TranscriptEntry | string {
  const shown = line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string')
      return value as TranscriptEntry;
    return `is no line of a transcript, which is an object with a type: ${shown}`;
  } catch (error) {
    return `is no JSON (${messageOf(error)}): ${shown}`;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
