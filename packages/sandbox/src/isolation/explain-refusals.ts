import { isAbsolute, resolve } from 'node:path';
import type { Execution } from '@rondo/runtime';
import type { SandboxSettings } from '../sandbox-settings.ts';

export interface RefusalContext {
  readonly command: string;
  readonly cwd: string;
  readonly writable: readonly string[];
  readonly hidden: readonly string[];
  readonly network: boolean;
  readonly settings: SandboxSettings;
  /** A call may ask to run outside. */
  readonly mayAsk: boolean;
}

interface Refusal {
  readonly kind: 'file' | 'network';
  /** A path or a host; empty where the command's message names none. */
  readonly subject: string;
  readonly told: string;
}

const mostTold = 5;

/**
 * What of a failed command's output reads as a refusal of the sandbox. The kernel tells nobody but the command, so that this
 * goes by what the command says: it may miss one, and takes only what the sandbox can have been the cause of.
 */
export function explainRefusals(
  { exitCode, stdout, stderr }: Pick<Execution, 'exitCode' | 'stdout' | 'stderr'>,
  context: RefusalContext,
): string[] {
  if (exitCode === 0) return [];
  const lines = [...stderr.split('\n'), ...stdout.split('\n')];
  const refusals = new Map<string, Refusal>();
  for (const line of lines) {
    const refusal = readLine(line, context);
    if (refusal !== undefined && !isIgnored(refusal, context)) refusals.set(refusal.told, refusal);
  }
  if (refusals.size === 0) return [];
  const told = [...refusals.values()].slice(0, mostTold);
  return [`The sandbox refused ${told.map(({ told }) => told).join('; ')}.`, wayOn(told, context)];
}

function readLine(line: string, context: RefusalContext): Refusal | undefined {
  const path = pathIn(line, context.cwd);
  if (/read-only file ?system|EROFS|\(30\)|Errno 30\b/i.test(line)) return written(path, context);
  if (/resource busy|EBUSY/i.test(line)) return written(path, context);
  if (/permission denied|EACCES|operation not permitted|EPERM/i.test(line)) {
    const place = context.hidden.find((hidden) => path === hidden || path.startsWith(`${hidden}/`));
    if (place !== undefined) return { kind: 'file', subject: path, told: `reading ${path}, which is hidden` };
    if (/socket/i.test(line)) {
      return { kind: 'network', subject: path, told: `a Unix socket${path === '' ? '' : `, ${path}`}` };
    }
    return undefined;
  }
  return context.network ? readProxyLine(line) : readNetworkLine(line);
}

function written(path: string, { writable }: RefusalContext): Refusal {
  const isInside = writable.some((folder) => path === folder || path.startsWith(`${folder}/`));
  const told = path === '' ? 'writing a file' : `writing ${path}${isInside ? ', which is protected' : ''}`;
  return { kind: 'file', subject: path, told };
}

const hostPatterns: readonly RegExp[] = [
  /could not resolve host(?:name)?:? '?"?([\w.-]+)/i,
  /unable to resolve host address ['‘"]?([\w.-]+)/i,
  /(?:ENOTFOUND|EAI_AGAIN) ([\w.-]+)/,
  /failed to connect to ([\w.:-]+?)(?: port|:)/i,
  /lookup ([\w.-]+)(?: on|:)/,
  /host='([\w.-]+)'/,
];

function readNetworkLine(line: string): Refusal | undefined {
  for (const pattern of hostPatterns) {
    const host = pattern.exec(line)?.[1];
    if (host !== undefined) return { kind: 'network', subject: host, told: `the network: ${host}` };
  }
  if (/temporary failure in name resolution|name or service not known|network is unreachable|ENETUNREACH/i.test(line)) {
    return { kind: 'network', subject: '', told: 'the network' };
  }
  return undefined;
}

function readProxyLine(line: string): Refusal | undefined {
  if (
    !/blocked by network allowlist|blocked-by-allowlist|CONNECT tunnel failed, response 403|\b403\b.*proxy/i.test(line)
  )
    return readNetworkLine(line);
  const host = /https?:\/\/([\w.-]+)/.exec(line)?.[1] ?? '';
  return { kind: 'network', subject: host, told: host === '' ? 'a host that is not allowed' : `the network: ${host}` };
}

function wayOn(refusals: readonly Refusal[], { writable, network, mayAsk }: RefusalContext): string {
  const ways = [];
  if (refusals.some(({ kind }) => kind === 'file')) {
    ways.push(`Commands may write in ${[...writable, '/tmp'].join(', ')} only, and not their settings and git hooks`);
  }
  if (refusals.some(({ kind }) => kind === 'network')) {
    ways.push(network ? 'Commands may reach only allowed hosts' : 'Commands have no network');
  }
  const more = mayAsk
    ? 'Where the task needs more, call again with dangerouslyDisableSandbox: true, which the permission rules decide on.'
    : 'Where the task needs more, the person has to change the sandbox settings.';
  return `${ways.join('. ')}. ${more}`;
}

/** The path that a message is about: quoted, or between colons, or the first that is absolute. */
function pathIn(line: string, cwd: string): string {
  const quoted = /['"‘`]([^'"’`]*[/.][^'"’`]*|[\w-]+)['"’`]/.exec(line)?.[1];
  const between = /(?:^|: |\s)((?:\/|\.{1,2}\/|[\w.-]+\/)?[^\s:'"]+): (?=[A-Z][a-z]|E[A-Z]+\b)/.exec(line)?.[1];
  const found = quoted ?? between ?? /(?:^|\s)(\/[^\s:'",]+)/.exec(line)?.[1] ?? '';
  if (found === '') return '';
  return isAbsolute(found) ? found : resolve(cwd, found);
}

/** By category, or by a part of the command; `*` is every command. */
function isIgnored({ kind, subject }: Refusal, { settings, command }: RefusalContext): boolean {
  return Object.entries(settings.ignoreViolations ?? {}).some(
    ([key, patterns]) =>
      (key === kind || key === '*' || (key !== 'file' && key !== 'network' && command.includes(key))) &&
      patterns.some((pattern) => fits(subject, pattern)),
  );
}

function fits(subject: string, pattern: string): boolean {
  if (!pattern.includes('*')) return subject === pattern || subject.startsWith(`${pattern}/`);
  const source = pattern.replace(/[\\^$.+?()[\]{}|]/g, String.raw`\$&`).replace(/\*+/g, '.*');
  return new RegExp(`^${source}$`, 's').test(subject);
}
