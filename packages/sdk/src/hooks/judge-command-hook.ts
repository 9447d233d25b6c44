import type { HookAnswer, HookEvent } from '@rondo/runtime';
import { hookEventFacts } from './hook-event-facts.ts';
import type { ReadAnswer } from './read-hook-answer.ts';
import { readHookText } from './read-hook-text.ts';

/** How the command of a hook ended. */
export interface CommandEnd {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** More was written to standard output than is kept. */
  readonly isCut: boolean;
  readonly timedOut: boolean;
  readonly aborted: boolean;
}

const mostReason = 10_000;

/**
 * What a command hook said, by the way it ended. Exit code 0: what its standard output says. 2: a block with its standard
 * error as the reason, whatever its output says. Anything else is a failure, in which nothing but a refusal counts.
 * @throws Error when it failed.
 */
export async function judgeCommandHook(event: HookEvent, end: CommandEnd): Promise<ReadAnswer> {
  if (end.aborted) throw new Error('the hook was aborted before it answered');
  if (end.timedOut) throw new Error('the hook did not end in its time');
  if (end.exitCode === 2) return blocked(event, end.stderr);
  if (end.exitCode === 0) {
    if (!end.isCut) return await readHookText(event, end.stdout);
    throw new Error('the hook wrote more to its standard output than is read, so its answer is not known');
  }
  const failure = failureOf(end);
  const refusal = end.isCut ? undefined : await readHookText(event, end.stdout).catch(() => undefined);
  if (refusal === undefined || !refuses(refusal.answer)) throw new Error(failure);
  return { answer: refusal.answer, notices: [failure, ...refusal.notices] };
}

function blocked(event: HookEvent, stderr: string): ReadAnswer {
  const said = headOf(stderr);
  const { power } = hookEventFacts[event];
  if (power === 'tells') {
    const answer = said === '' ? {} : { systemMessage: said };
    return { answer, notices: [`the hook exited with 2, and nothing can be blocked at ${event}`] };
  }
  const reason = said === '' ? 'blocked by a hook that gave no reason (exit code 2)' : said;
  return { answer: { decision: power === 'guards' ? 'deny' : 'block', reason }, notices: [] };
}

function refuses({ decision, continue: goesOn }: HookAnswer): boolean {
  return decision === 'deny' || decision === 'block' || goesOn === false;
}

function failureOf({ exitCode, signal, stderr }: CommandEnd): string {
  const said = headOf(stderr);
  const how = exitCode === null ? `was ended by ${signal ?? 'a signal'}` : `exited with ${exitCode}`;
  const hint = exitCode === 127 ? ' (a program was not found)' : exitCode === 126 ? ' (it cannot be executed)' : '';
  return `the hook ${how}${hint}${said === '' ? '' : `: ${said}`}`;
}

function headOf(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > mostReason ? `${trimmed.slice(0, mostReason).toWellFormed()} […]` : trimmed;
}
