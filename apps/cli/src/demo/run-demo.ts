import { dirname, delimiter } from 'node:path';
import { createScriptModel } from '@rondo/providers/scripted';
import type { Model } from '@rondo/runtime';
import { query, type SDKMessage } from '@rondo/sdk';
import { createTextWriter } from '../process/text-writer.ts';
import { createConversationView } from '../terminal/conversation-view.ts';
import { createPainter } from '../terminal/painter.ts';
import { readDemoRecording } from './demo-recording.ts';
import { copySampleProject } from './sample-project.ts';

const demoPrompt = 'A test of this project fails. Find out why, repair it, and publish the result.';

/** The one command that the demo allows, as the recorded model calls it. */
const testCommand = 'node --test --test-reporter=spec';

export interface DemoOptions {
  /** The model for the project in that folder; the recording unless given. */
  readonly model?: (folder: string) => Promise<Model>;
  /** A file that what the model is asked and says is recorded to. */
  readonly record?: string;
}

/**
 * Shows the real runtime at work on a sample project: real tools, permissions and log, a recorded model. Exit code 0
 * only when the test that failed was seen to pass.
 */
export async function runDemo({ model = playRecording, record }: DemoOptions = {}): Promise<number> {
  const paint = createPainter(process.stdout);
  const stdout = createTextWriter(process.stdout);
  const write = (text: string): void => void stdout.write(text);
  const folder = await copySampleProject();
  write(
    `${paint('bold', 'rondo demo')}: the real tools, permissions and log on a sample project; only the model is a recording.\n`,
  );
  write(`${paint('dim', `No key, no network. The project is in ${folder}`)}\n\n`);
  write(`${paint('green', '>')} ${paint('bold', demoPrompt)}\n\n`);

  const view = createConversationView({
    write,
    paint,
    cwd: folder,
    width: process.stdout.columns ?? 100,
    outputLines: 4,
  });
  const tests = watchTests();
  let sessionId = '';
  const messages = query({
    prompt: demoPrompt,
    options: {
      model: await model(folder),
      ...(record !== undefined && { record }),
      cwd: folder,
      env: demoEnvironment(),
      // Edits in the folder and this one command may run; nobody is asked, so anything else is refused.
      permissionMode: 'acceptEdits',
      allowedTools: [`Bash(${testCommand})`],
      includePartialMessages: true,
      title: 'rondo demo',
    },
  });
  for await (const message of messages) {
    sessionId = message.session_id ?? sessionId;
    tests.see(message);
    view.show(message);
  }
  if (!tests.failedThenPassed()) {
    process.stderr.write(
      `rondo: the demo did not get its test to pass; look at it with: ${commandName()} sessions show ${sessionId}\n`,
    );
    return 1;
  }
  const rows = [
    ['Every step is in the log:', `${commandName()} sessions show ${sessionId.slice(0, 8)}`],
    ['With a real model:', `export ANTHROPIC_API_KEY=…, then ${commandName()} in a folder of yours`],
    ['Without a terminal:', `${commandName()} -p "fix the failing test" --permission-mode acceptEdits`],
  ] as const;
  write(`\n${rows.map(([what, how]) => `${what.padEnd(27)}${paint('cyan', how)}`).join('\n')}\n`);
  return 0;
}

/**
 * Here a request may differ from the recorded one: another Node words a failed test in another way. Whether the story
 * holds is seen by what the tests say.
 */
async function playRecording(folder: string): Promise<Model> {
  return createScriptModel({ ...(await readDemoRecording(folder)), match: 'none' }, { name: 'scripted/demo' });
}

/** Tells whether the recorded story is what really happened. */
function watchTests(): { see(message: SDKMessage): void; failedThenPassed(): boolean } {
  const calls = new Set<string>();
  const outcomes: boolean[] = [];
  return {
    see(message) {
      if (message.type === 'assistant') {
        for (const block of message.message.content) {
          if (block.type === 'tool_use' && block.input['command'] === testCommand) calls.add(block.id);
        }
      } else if (message.type === 'user' && typeof message.message.content !== 'string') {
        for (const block of message.message.content) {
          if (block.type === 'tool_result' && calls.has(block.tool_use_id)) outcomes.push(block.is_error !== true);
        }
      }
    },
    failedThenPassed: () => outcomes.length === 2 && outcomes[0] === false && outcomes[1] === true,
  };
}

/** The tests run on the Node that runs this, and say the same wherever the demo is started from. */
function demoEnvironment(): Record<string, string | undefined> {
  const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _context, FORCE_COLOR: _colour, ...env } = process.env;
  return { ...env, NO_COLOR: '1', PATH: [dirname(process.execPath), env['PATH']].filter(Boolean).join(delimiter) };
}

/** How the person who started this gets here again. */
function commandName(): string {
  if (process.env['npm_command'] === 'exec') return 'npx rondo';
  return process.env['npm_package_name'] === 'rondo-monorepo' ? 'npm start --' : 'rondo';
}
