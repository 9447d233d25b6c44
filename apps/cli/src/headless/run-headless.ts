import { isRondoError, RondoError } from '@rondo/protocol/values';
import type { Query, SDKResultMessage } from '@rondo/sdk';
import type { ChatRequest } from '../command/chat-request.ts';
import type { CommandContext } from '../command/command-context.ts';
import { problemOf } from '../command/problem.ts';
import { type Interruption, listenForInterruption } from '../process/interruption.ts';
import { createTextWriter } from '../process/text-writer.ts';
import { createOutput, type Output } from './output.ts';
import { createProgress } from './progress.ts';
import { readPrompt } from './read-prompt.ts';
import { startQuery } from './start-query.ts';

/** The runtime stops a turn within five seconds; a process that outlives that is stuck. */
const graceMs = 7_000;
/** How long an open pipe may stay silent when there is a prompt without it. */
const patienceMs = 3_000;
/** As a shell reports a program that a closed pipe ended. */
const readerLeft = 141;

/** Answers one prompt. Standard output carries the answer alone, or the messages in the format asked for. */
export async function runHeadless(request: ChatRequest, context: CommandContext): Promise<number> {
  const prompt = await readPrompt({
    argument: request.prompt,
    patienceMs,
    onSilentPipe: () => context.say('Nothing was piped in: going on without it. Redirect from /dev/null to not wait.'),
  });
  const goesOn = request.continue || request.resume !== undefined;
  if (prompt === undefined && !goesOn) throw new RondoError('input.invalid', missingPrompt(request));

  using interruption = listenForInterruption({ graceMs, exit: (code) => process.exit(code) });
  const stdout = createTextWriter(process.stdout);
  stdout.closed.addEventListener('abort', () => interruption.interrupt(readerLeft));
  const output = createOutput(request.outputFormat ?? 'text', {
    stdout,
    isTerminal: process.stdout.isTTY,
    onErrorResult: context.say,
  });
  const exitCode = await followTurn(startQuery(request, prompt, context.say), {
    request,
    context,
    interruption,
    output,
  });
  await stdout.flush();
  return interruption.exitCode ?? exitCode;
}

interface Following {
  readonly request: ChatRequest;
  readonly context: CommandContext;
  readonly interruption: Interruption;
  readonly output: Output;
}

async function followTurn(
  starting: Promise<Query>,
  { request, context, interruption, output }: Following,
): Promise<number> {
  const progress = createProgress(process.stderr, request.verbose);
  let sessionId = request.resume;
  let result: SDKResultMessage | undefined;
  const interrupt = (messages: Query): void => {
    messages.interrupt().catch((error: unknown) => context.debug.write('interrupt failed', error));
  };
  try {
    const messages = await starting;
    if (interruption.signal.aborted) interrupt(messages);
    else interruption.signal.addEventListener('abort', () => interrupt(messages));
    for await (const message of messages) {
      context.debug.write('message', message);
      sessionId = message.session_id ?? sessionId;
      if (message.type === 'result') result = message;
      progress(message);
      await output.message(message);
    }
  } catch (error) {
    context.debug.write('error', error);
    // An error result has been handed on: what is thrown after it says the same. After a good one it is news, such as
    // steps of a script that nobody used.
    if (result?.is_error !== true && interruption.exitCode === undefined) {
      const { message, exitCode } = problemOf(await explained(error, request));
      context.say(message);
      await output.failure(context.redact(message), sessionId);
      await output.end();
      return exitCode;
    }
  }
  if (interruption.exitCode !== undefined) {
    context.say(interruptedNote(request, sessionId));
    await output.end();
    return interruption.exitCode;
  }
  await output.end();
  if (result === undefined)
    context.say(`Nothing was run in session ${sessionId}: what it was started with is not here.`);
  return result === undefined || result.is_error ? 1 : 0;
}

/** A missing key is told with what could be used instead. */
async function explained(error: unknown, request: ChatRequest): Promise<unknown> {
  if (!isRondoError(error, 'model.key_missing')) return error;
  const { withWaysOn } = await import('../models/missing-model.ts');
  return await withWaysOn(error, request).catch((other: unknown) => other);
}

function missingPrompt(request: ChatRequest): string {
  const lists = (['allowedTools', 'disallowedTools', 'addDir'] as const).some((name) => request[name].length > 0);
  const hint = lists
    ? ' (A word after a list is taken as part of the list: write --flag=LIST, or the prompt first.)'
    : '';
  return `No prompt. Give one as an argument, rondo -p "fix the failing test", or pipe one in.${hint}`;
}

function interruptedNote({ persistSession }: ChatRequest, sessionId: string | undefined): string {
  if (!persistSession || sessionId === undefined) return 'Interrupted.';
  return `Interrupted. Go on with: rondo --resume ${sessionId}`;
}
