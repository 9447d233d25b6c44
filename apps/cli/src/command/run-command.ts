import { RondoError } from '@rondo/protocol/values';
import { getKeyVariables } from '@rondo/sdk';
import { createRedactor } from '../debug/redactor.ts';
import { runHeadless } from '../headless/run-headless.ts';
import { print } from '../process/print.ts';
import { printableText } from '../terminal/printable-text.ts';
import { type ChatRequest, chatRequest } from './chat-request.ts';
import type { CommandContext } from './command-context.ts';
import { chatFlags } from './chat-flags.ts';
import {
  attachFlags,
  commandNames,
  demoFlags,
  doctorFlags,
  modelsFlags,
  permissionsFlags,
  replayFlags,
  serveFlags,
  sessionsFlags,
  settingsFlags,
  trustFlags,
} from './flag-tables.ts';
import type { helpPages } from './help-pages.ts';
import { parseArguments } from './parse-arguments.ts';
import { problemOf } from './problem.ts';

const noDebugLog = { write() {}, close() {} };

/** Runs what the arguments ask for; resolves to the exit code. Never rejects: whatever goes wrong is said on stderr. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  const redact = createRedactor(process.env, keyVariables);
  const say = (message: string): void => {
    process.stderr.write(`rondo: ${printableText(redact(message)).trimEnd()}\n`);
  };
  try {
    const [first, ...rest] = argv;
    const page = askedPage(argv);
    if (page !== undefined) return await showHelp(page);
    if (first === 'attach') return await attach(rest, { debug: noDebugLog, redact, say });
    if (first === 'demo') return await demo(rest);
    if (first === 'models') return await models(rest, redact);
    if (first === 'permissions') return await permissions(rest, redact);
    if (first === 'replay') return await replay(rest);
    if (first === 'serve') return await serve(rest, redact);
    if (first === 'sessions') return await sessions(rest);
    if (first === 'settings') return await settings(rest, redact);
    if (first === 'doctor') return await doctor(rest, redact);
    if (first === 'trust') return await trust(rest, redact);
    return await chat(argv, { debug: noDebugLog, redact, say });
  } catch (error) {
    const { message, exitCode } = problemOf(error);
    say(message);
    return exitCode;
  }
}

/** `rondo help models` asks for a page; `rondo help me` has a prompt. */
export function askedPage([first, name, ...more]: readonly string[]): keyof typeof helpPages | undefined {
  if (first !== 'help' || more.length > 0) return undefined;
  return name === undefined ? 'chat' : commandNames.find((known) => known === name);
}

/** Settings that cannot be read are told by whoever needs them. */
function keyVariables(): readonly string[] {
  try {
    return getKeyVariables();
  } catch {
    return [];
  }
}

async function chat(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(
    argv,
    chatFlags,
    // Programs hand on flags of later versions; a person who types one meant another.
    readsStreamJson(argv) ? { onUnknown: context.say } : {},
  );
  if (values.help) return showHelp('chat');
  if (values.version) return showVersion();
  const request = chatRequest(values, positionals, context.say);
  if (request.debugFile === undefined) return runChat(request, context);

  const { openDebugLog } = await import('@rondo/sdk/host');
  const debug = openDebugLog(request.debugFile, context.redact);
  try {
    debug.write('start', { argv, cwd: process.cwd(), node: process.versions.node });
    const exitCode = await runChat(request, { ...context, debug });
    debug.write('end', { exitCode });
    return exitCode;
  } catch (error) {
    debug.write('error', error);
    throw error;
  } finally {
    debug.close();
  }
}

/** Known before the flags are read, since it decides how. */
function readsStreamJson(argv: readonly string[]): boolean {
  return argv.some(
    (argument, index) =>
      /^--input-?format=stream-json$/i.test(argument) ||
      (argument === 'stream-json' && /^--input-?format$/i.test(argv[index - 1] ?? '')),
  );
}

async function runChat(request: ChatRequest, context: CommandContext): Promise<number> {
  const asked = request.print || request.outputFormat !== undefined || request.inputFormat === 'stream-json';
  if (!asked && process.stdin.isTTY && process.stdout.isTTY) {
    const { runInteractive } = await import('../terminal/run-interactive.ts');
    return runInteractive(request, context);
  }
  if (request.resume === '') {
    throw new RondoError('input.invalid', '--resume needs a session: rondo sessions list shows them.');
  }
  if (request.inputFormat === 'stream-json') {
    const { runStreamJson } = await import('../stream-json/run-stream-json.ts');
    return runStreamJson(request, context);
  }
  return runHeadless(request, context);
}

async function demo(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(argv, demoFlags);
  if (values.help) return showHelp('demo');
  if (positionals[0] !== undefined) throw new RondoError('input.invalid', `rondo demo takes no "${positionals[0]}".`);
  const { runDemo } = await import('../demo/run-demo.ts');
  return runDemo();
}

async function serve(argv: readonly string[], redact: CommandContext['redact']): Promise<number> {
  const { values, positionals } = parseArguments(argv, serveFlags);
  if (values.help) return showHelp('serve');
  const { runServe } = await import('../serve/run-serve.ts');
  return runServe(values, positionals, { redact });
}

async function attach(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(argv, attachFlags);
  if (values.help) return showHelp('attach');
  const { runAttach } = await import('../attach/run-attach.ts');
  return runAttach(values, positionals, context);
}

async function models(argv: readonly string[], redact: CommandContext['redact']): Promise<number> {
  const { values, positionals } = parseArguments(argv, modelsFlags);
  if (values.help) return showHelp('models');
  const { runModels } = await import('../models/run-models.ts');
  return runModels(values, positionals, { redact });
}

async function replay(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(argv, replayFlags);
  if (values.help) return showHelp('replay');
  const { runReplay } = await import('../replay/run-replay.ts');
  return runReplay(values, positionals);
}

async function sessions(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(argv, sessionsFlags);
  if (values.help) return showHelp('sessions');
  const { runSessions } = await import('../sessions/run-sessions.ts');
  return runSessions(values, positionals);
}

async function permissions(argv: readonly string[], redact: CommandContext['redact']): Promise<number> {
  const { values, positionals } = parseArguments(argv, permissionsFlags);
  if (values.help) return showHelp('permissions');
  const { runPermissions } = await import('../permissions/run-permissions.ts');
  return runPermissions(values, positionals, { redact });
}

async function settings(argv: readonly string[], redact: CommandContext['redact']): Promise<number> {
  const { values, positionals } = parseArguments(argv, settingsFlags);
  if (values.help) return showHelp('settings');
  const { runSettings } = await import('../settings/run-settings.ts');
  return runSettings(values, positionals, { redact });
}

async function doctor(argv: readonly string[], redact: CommandContext['redact']): Promise<number> {
  const { values, positionals } = parseArguments(argv, doctorFlags);
  if (values.help) return showHelp('doctor');
  const { runDoctor } = await import('../doctor/run-doctor.ts');
  return runDoctor(values, positionals, { redact });
}

async function trust(argv: readonly string[], redact: CommandContext['redact']): Promise<number> {
  const { values, positionals } = parseArguments(argv, trustFlags);
  if (values.help) return showHelp('trust');
  const { runTrust } = await import('../trust/run-trust.ts');
  return runTrust(values, positionals, { redact });
}

async function showHelp(page: keyof typeof helpPages): Promise<number> {
  const [{ helpPages: pages }, { helpText }] = await Promise.all([import('./help-pages.ts'), import('./help.ts')]);
  await print(helpText(pages[page], process.stdout.columns ?? 80));
  return 0;
}

async function showVersion(): Promise<number> {
  const { version } = await import('../version.ts');
  await print(`${version} (Rondo)\n`);
  return 0;
}
