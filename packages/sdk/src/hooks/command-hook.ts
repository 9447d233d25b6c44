import type { EventHook, EventHookContext, HookRun } from '@rondo/runtime';
import type { ProcessOutcome } from '@rondo/sandbox';
import type { HookEntry } from './hook-entry.ts';
import { putPluginRoot } from './hook-variables.ts';
import { judgeCommandHook } from './judge-command-hook.ts';
import { loadSandboxes } from '../options/load-package.ts';

export interface CommandHookContext {
  /** The project's root: what `CLAUDE_PROJECT_DIR` names, and where the commands run. */
  readonly projectDir: string;
  /** What commands may see, asked anew for each. Without the keys that pay for the model. */
  readonly env: () => Readonly<Record<string, string>>;
  /** Takes what `SessionStart` and `Setup` hooks set for later commands. Absent: `CLAUDE_ENV_FILE` is not offered. */
  readonly setVariables?: ((variables: Readonly<Record<string, string>>) => void) | undefined;
}

type HookInput = Parameters<EventHook['run']>[0];

/** Most bytes that are read of each stream. */
export const outputLimit = 1024 ** 2;
/** Behind the engine's own clock, which ends the hook first and says so. */
const lateMs = 1000;
/** Characters of each stream that are shown while it runs. */
const mostShown = 10_000;
const defaultAsyncMs = 15_000;
const longestAsyncMs = 3_600_000;

/** Runs the shell line of a hook with `input` as JSON on its standard input, to its exit; nothing of it stays. */
export async function runCommandHook(
  { event, fields, source }: HookEntry,
  input: HookInput,
  run: CommandHookContext & { readonly context: EventHookContext; readonly timeoutMs: number },
): Promise<HookRun> {
  const { context, projectDir, setVariables } = run;
  const { pluginRoot } = source;
  const line = String(fields['command']);
  const variables =
    setVariables !== undefined && (event === 'SessionStart' || event === 'Setup')
      ? await import('./session-variables.ts').then(({ openSessionVariables }) => openSessionVariables())
      : undefined;
  try {
    const env = {
      ...run.env(),
      CLAUDE_PROJECT_DIR: projectDir,
      RONDO_PROJECT_DIR: projectDir,
      ...(pluginRoot === undefined ? {} : { CLAUDE_PLUGIN_ROOT: pluginRoot, RONDO_PLUGIN_ROOT: pluginRoot }),
      ...(variables === undefined ? {} : { CLAUDE_ENV_FILE: variables.path }),
    };
    const command = pluginRoot === undefined ? line : putPluginRoot(line, pluginRoot);
    const outcome = await runLine(command, { ...run, shell: fields['shell'], env, input });
    if ('timeoutMs' in outcome) {
      const { timeoutMs, end } = outcome;
      return { answer: {}, later: { timeoutMs, run: async (later) => await runOf(event, await end(later.signal)) } };
    }
    const ran = await runOf(event, outcome);
    if (variables !== undefined)
      setVariables?.(await variables.read(run.env(), { cwd: projectDir, signal: context.signal }));
    return ran;
  } finally {
    await variables?.remove();
  }
}

async function runOf(event: HookEntry['event'], outcome: ProcessOutcome): Promise<HookRun> {
  const { exitCode, stdout, stderr } = outcome;
  const output = { stdout, stderr, ...(exitCode === null ? {} : { exitCode }) };
  const end = { ...outcome, isCut: outcome.droppedBytes.stdout > 0 };
  const { answer, notices } = await judgeCommandHook(event, end).catch((error: unknown) => {
    // What it wrote is shown with its failure.
    throw error instanceof Error ? Object.assign(error, { output }) : error;
  });
  return { answer, output, ...(notices.length === 0 ? {} : { notices }) };
}

/** A line that goes on by itself. */
interface DetachedLine {
  /** The time that is left to it. */
  readonly timeoutMs: number;
  /** Its end, without the line by which it said so. The signal ends it. */
  end(signal: AbortSignal): Promise<ProcessOutcome>;
}

interface LineOptions {
  readonly shell: unknown;
  readonly env: Readonly<Record<string, string>>;
  readonly input: HookInput;
  readonly projectDir: string;
  readonly timeoutMs: number;
  readonly context: EventHookContext;
}

/** Its end, or where its first line says that it goes on by itself, that. */
async function runLine(command: string, options: LineOptions): Promise<ProcessOutcome | DetachedLine> {
  const { shell, env, input, projectDir, timeoutMs, context } = options;
  const { runProcess } = await loadSandboxes();
  const over = new AbortController();
  const end = () => over.abort();
  const detached = Promise.withResolvers<DetachedLine>();
  if (context.signal.aborted) end();
  context.signal.addEventListener('abort', end, { once: true });
  const shown = { stdout: '', stderr: '' };
  let firstLine: string | undefined = '';
  const running = runProcess({
    command: shell === 'powershell' ? powershell(command) : command,
    cwd: projectDir,
    env,
    input: `${JSON.stringify(input)}\n`,
    timeoutMs: timeoutMs + lateMs,
    signal: over.signal,
    outputLimit,
    onOutput(stream, piece) {
      if (shown[stream].length < mostShown) {
        shown[stream] = (shown[stream] + piece).slice(0, mostShown);
        context.progress({ ...shown });
      }
      if (stream !== 'stdout' || firstLine === undefined) return;
      firstLine += piece;
      if (!firstLine.includes('\n') && firstLine.length < 1000) return;
      const asyncMs = asyncTimeout(firstLine);
      firstLine = undefined;
      if (asyncMs === undefined) return;
      context.signal.removeEventListener('abort', end);
      setTimeout(end, asyncMs).unref();
      detached.resolve({
        timeoutMs: asyncMs,
        async end(signal) {
          signal.addEventListener('abort', end, { once: true });
          if (signal.aborted) end();
          const outcome = await running;
          return { ...outcome, stdout: outcome.stdout.slice(outcome.stdout.indexOf('\n') + 1) };
        },
      });
    },
  });
  try {
    return await Promise.race([running, detached.promise]);
  } finally {
    context.signal.removeEventListener('abort', end);
  }
}

/** How long a hook may go on that wrote `{"async": true}` as its first line. Undefined for any other line. */
function asyncTimeout(text: string): number | undefined {
  const [line = ''] = text.split('\n', 1);
  if (!line.trim().startsWith('{')) return undefined;
  try {
    const said = JSON.parse(line) as Readonly<Record<string, unknown>>;
    // What says more than that is an answer.
    if (said['async'] !== true || Object.keys(said).some((field) => !field.startsWith('async'))) return undefined;
    const { asyncTimeout: timeout } = said;
    return typeof timeout === 'number' && timeout > 0 ? Math.min(timeout, longestAsyncMs) : defaultAsyncMs;
  } catch {
    return undefined;
  }
}

function powershell(command: string): { readonly program: string; readonly args: readonly string[] } {
  return { program: 'pwsh', args: ['-NoProfile', '-NonInteractive', '-Command', command] };
}
