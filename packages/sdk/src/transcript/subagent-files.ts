import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isRecord } from '../is-record.ts';
import { isAgentId } from './agent-id.ts';

export interface SubagentFile {
  readonly agentId: string;
  readonly path: string;
  /** What kind of agent it was, where that stands beside it. */
  readonly agentType?: string;
}

const MOST_META_BYTES = 64 * 1024;

/**
 * The transcripts of subagents beside their session's: `<session>/subagents/agent-….jsonl`, or in the session's own folder, as
 * they lie in a home of this program.
 * @param problem hears of what has such a name and is left out: links may lead anywhere, and pipes never end.
 */
export async function subagentFiles(
  transcript: string,
  sessionId: string,
  problem: (text: string) => void,
): Promise<readonly SubagentFile[]> {
  const folder = dirname(transcript);
  const name = basename(transcript).replace(/\.jsonl$/, '');
  const own = [sessionId, ...(name.toLowerCase() === sessionId && name !== sessionId ? [name] : [])];
  const places = [...own.map((each) => join(folder, each)), ...(name === 'transcript' ? [folder] : [])];
  const found: SubagentFile[] = [];
  for (const place of places) found.push(...(await filesIn(place, problem)));
  return found;
}

async function filesIn(place: string, problem: (text: string) => void): Promise<SubagentFile[]> {
  const folder = join(place, 'subagents');
  for (const path of [place, folder]) {
    const isFolder = await lstat(path).then(
      (stat) => stat.isDirectory(),
      () => undefined,
    );
    if (isFolder === undefined) return [];
    if (isFolder) continue;
    problem(`${path}: is no folder, so that subagents in it were left out`);
    return [];
  }
  const files: SubagentFile[] = [];
  for (const entry of (await readdir(folder, { withFileTypes: true })).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const agentId = /^agent-(.+)\.jsonl$/.exec(entry.name)?.[1];
    if (agentId === undefined) continue;
    const path = join(folder, entry.name);
    if (!entry.isFile()) problem(`${path}: is no regular file, and was left out`);
    else if (!isAgentId(agentId)) problem(`${path}: is no name of a subagent's transcript, and was left out`);
    else files.push({ agentId, path, ...(await metaOf(join(folder, `agent-${agentId}.meta.json`))) });
  }
  return files;
}

/** What stands beside a transcript is a note: without it, or where it cannot be read, the kind is not known. */
async function metaOf(path: string): Promise<{ readonly agentType?: string }> {
  try {
    const stat = await lstat(path);
    if (!stat.isFile() || stat.size > MOST_META_BYTES) return {};
    const meta: unknown = JSON.parse(await readFile(path, 'utf8'));
    const agentType = isRecord(meta) ? meta['agentType'] : undefined;
    return typeof agentType === 'string' && /^[\w.:-]{1,64}$/.test(agentType) ? { agentType } : {};
  } catch {
    return {};
  }
}
