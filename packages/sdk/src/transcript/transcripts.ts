import { dirname, join } from 'node:path';
import type { AnyEvent } from '@rondo/protocol';
import type { TranscribedLog, Transcripts } from '@rondo/runtime';
import type { TranscriptFile } from './transcript-file.ts';

/**
 * Transcripts beside their logs: `transcript.jsonl`, and of subagents `subagents/agent-….jsonl`. Nothing is loaded and no file is
 * written before a hook is told of one.
 * @param note hears why a file could not be written; the hook then finds what was there.
 */
export function createTranscripts(note: (text: string) => void): Transcripts {
  const files = new Map<string, Promise<TranscriptFile>>();
  /** What was committed in a tree before its first file was made. */
  const begun = new Map<string, AnyEvent[] | undefined>();
  let isNoted = false;

  function path({ rootId, path: log }: Pick<TranscribedLog, 'rootId' | 'path'>, sessionId: string): string {
    const folder = dirname(log);
    if (sessionId === rootId) return join(folder, 'transcript.jsonl');
    return join(folder, 'subagents', `agent-${sessionId.slice(rootId.length + 1)}.jsonl`);
  }

  function fileOf(log: TranscribedLog, sessionId: string): Promise<TranscriptFile> {
    let file = files.get(sessionId);
    if (file !== undefined) return file;
    const events = begun.get(log.rootId);
    file = import('./transcript-file.ts').then(({ createTranscriptFile }) => {
      const made = createTranscriptFile({ path: path(log, sessionId), sessionId, read: log.read });
      if (events !== undefined) made.see(events);
      return made;
    });
    files.set(sessionId, file);
    return file;
  }

  return {
    path,
    see({ rootId }, events) {
      let isTaken = false;
      for (const [sessionId, file] of files) {
        if (sessionId !== rootId && !sessionId.startsWith(`${rootId}.`)) continue;
        isTaken = true;
        void file.then((made) => made.see(events));
      }
      if (isTaken) return void begun.delete(rootId);
      const known = begun.get(rootId);
      if (known === undefined && begun.has(rootId)) return;
      // One that does not begin with the log's first event is read from the log when it is asked for.
      if (known === undefined) begun.set(rootId, events[0]?.seq === 1 ? [...events] : undefined);
      else if (known.length > 1024) begun.set(rootId, undefined);
      else known.push(...events);
    },
    async update(log, sessionIds) {
      for (const sessionId of sessionIds) {
        try {
          await (await fileOf(log, sessionId)).update();
        } catch (error) {
          if (!isNoted) note(`The transcript ${path(log, sessionId)} could not be written: ${String(error)}.`);
          isNoted = true;
        }
      }
    },
  };
}
