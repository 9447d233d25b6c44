import { resolve } from 'node:path';
import { isRondoError, RondoError } from '@rondo/protocol/values';
import type { Runtime } from '@rondo/runtime';
import { withHome } from '../sessions/with-home.ts';
import { addTranscript } from './add-transcript.ts';
import type { SubagentTranscript } from './import-subagent.ts';
import type { ImportedSession, ImportReport, ImportSessionsOptions } from './import-report.ts';
import { readChain, splitTranscript, type TranscriptEntry } from './read-chain.ts';
import { readTranscriptFile, type TranscriptSource } from './read-transcript-file.ts';
import { subagentFiles } from './subagent-files.ts';
import { treeLines } from './tree-lines.ts';

type AddOptions = Parameters<typeof addTranscript>[0];

interface ImportParts extends Pick<AddOptions, 'cwd' | 'isDry'> {
  readonly runtime: Runtime;
  readonly problem: (text: string) => void;
}

/** What `importSessions` does, once that is asked for. */
export async function importFiles(
  files: readonly string[],
  { dryRun = false, dir = process.cwd(), ...where }: ImportSessionsOptions,
): Promise<ImportReport> {
  const sessions: ImportedSession[] = [];
  const problems: string[] = [];
  const problem = (text: string): void => void problems.push(text);
  await withHome(where, async (_client, runtime) => {
    const parts: ImportParts = { runtime, cwd: resolve(dir), isDry: dryRun, problem };
    for (const file of subagentsLast(files)) sessions.push(...(await importFile(file, parts)));
  });
  return { sessions, problems };
}

/** What a subagent said can be added to a session only. */
function subagentsLast(files: readonly string[]): readonly string[] {
  const isSubagents = (file: string): boolean => /(^|[\\/])agent-[^\\/]*$/.test(file);
  return [...files.filter((file) => !isSubagents(file)), ...files.filter(isSubagents)];
}

async function importFile(file: string, parts: ImportParts): Promise<ImportedSession[]> {
  const source = await readSource(file, parts.problem);
  if (source.bySession.size === 0) parts.problem(`${file}: holds no line of a conversation`);
  const imported: ImportedSession[] = [];
  for (const [sessionId, entries] of source.bySession) {
    try {
      const { own, subagents } = await transcriptsOf({ file, sessionId, entries, source }, parts);
      const chain = readChain(own, { whole: source.whole });
      const here = await treeLines(parts.runtime, sessionId);
      const added = await addTranscript({ ...parts, sessionId, here, chain, subagents });
      imported.push({ sessionId, file, ...added });
    } catch (error) {
      imported.push({ sessionId, file, error: problemOf(error) });
    }
  }
  return imported;
}

async function readSource(file: string, problem: (text: string) => void, of?: string): Promise<TranscriptSource> {
  const source = await readTranscriptFile(file, of);
  for (const text of source.problems) problem(text);
  return source;
}

interface FoundSession {
  readonly file: string;
  readonly sessionId: string;
  readonly entries: readonly TranscriptEntry[];
  readonly source: TranscriptSource;
}

/** A session's own lines, and its subagents' among them or in files beside its own. A file says more than what stands among them. */
async function transcriptsOf(
  { file, sessionId, entries, source }: FoundSession,
  { problem }: ImportParts,
): Promise<{ readonly own: readonly TranscriptEntry[]; readonly subagents: readonly SubagentTranscript[] }> {
  const { own, subagents } = splitTranscript(entries);
  const found = new Map<string, SubagentTranscript>();
  const { whole } = source;
  for (const [agentId, lines] of subagents)
    found.set(agentId, { agentId, chain: readChain(lines, { of: 'subagent', whole }) });
  for (const { agentId, path, agentType } of await subagentFiles(file, sessionId, problem)) {
    const beside = await readSource(path, problem, sessionId);
    const lines = beside.bySession.get(sessionId) ?? [];
    const others = [...beside.bySession.keys()].filter((id) => id !== sessionId);
    if (others.length > 0) problem(`${path}: holds lines of session ${others.join(', ')}, which were left out`);
    if (lines.length === 0) continue;
    const chain = readChain(lines, { of: 'subagent', whole: beside.whole });
    found.set(agentId, { agentId, chain, ...(agentType === undefined ? {} : { agentType }) });
  }
  return { own, subagents: [...found.values()] };
}

/** What no code of ours throws is the file's doing too: JSON that goes thousands of levels deep. */
function problemOf(error: unknown): RondoError {
  if (isRondoError(error)) return error;
  if (!(error instanceof RangeError)) throw error;
  return new RondoError('input.invalid', `it holds what cannot be stored: ${error.message}`, { cause: error });
}
