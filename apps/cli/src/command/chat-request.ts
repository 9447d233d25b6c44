import { nearestNames, RondoError } from '@rondo/protocol/values';
import { flagSpelling } from './flag.ts';
import { type ChatValues, chatFlags } from './chat-flags.ts';
import { commandNames } from './flag-tables.ts';
import { type FurtherOptions, furtherOptions } from './further-options.ts';
import { checkJsonOrFile } from './json-flag.ts';

export type OutputFormat = (typeof chatFlags.outputFormat.choices)[number];
export type SourceName = 'user' | 'project' | 'local';
export type ModeName = (typeof chatFlags.permissionMode.choices)[number];

/** What `rondo [PROMPT]` was asked for, every value checked. An absent field leaves the choice to settings. */
export interface ChatRequest {
  readonly prompt?: string;
  /** Absent when nobody asked: then a terminal is spoken with, anything else gets text. */
  readonly outputFormat?: OutputFormat;
  readonly inputFormat?: 'text' | 'stream-json';
  readonly replayUserMessages: boolean;
  /** The client's store gets what is stored of the session. */
  readonly sessionMirror: boolean;
  readonly print: boolean;
  readonly verbose: boolean;
  readonly includePartialMessages: boolean;
  readonly model?: string;
  readonly record?: string;
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly permissionMode?: ModeName;
  readonly allowBypass: boolean;
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly tools?: readonly string[];
  readonly addDir: readonly string[];
  /** A file, or JSON. */
  readonly settings?: string;
  readonly settingSources?: readonly SourceName[];
  /** `stdio`: the program on standard input is asked. */
  readonly permissionPromptTool?: string;
  /** Seconds. */
  readonly permissionTimeout?: number;
  readonly further: FurtherOptions;
  readonly continue: boolean;
  /** Empty: a session is to be chosen. */
  readonly resume?: string;
  readonly forkSession: boolean;
  readonly sessionId?: string;
  readonly persistSession: boolean;
  readonly debug: boolean;
  readonly debugFile?: string;
}

/**
 * @param note hears of what is left out rather than refused.
 * @throws RondoError `input.invalid` naming the flag and what it takes.
 */
export function chatRequest(
  values: ChatValues,
  positionals: readonly string[],
  note: (text: string) => void = () => {},
): ChatRequest {
  refuseContradictions(values);
  const outputFormat = choice('outputFormat', values.outputFormat);
  const inputFormat = choice('inputFormat', values.inputFormat);
  refuseFormats(values, inputFormat, positionals);
  const permissionTimeout = positiveNumber('permissionTimeout', values.permissionTimeout);
  const permissionMode = modeOf(values);
  const maxTurns = isNoLimit(values, inputFormat, note) ? undefined : positiveInteger('maxTurns', values.maxTurns);
  const maxBudgetUsd = positiveNumber('maxBudgetUsd', values.maxBudgetUsd);
  const prompt = onePrompt(positionals);
  return {
    print: values.print ?? false,
    verbose: values.verbose ?? false,
    includePartialMessages: values.includePartialMessages ?? false,
    allowBypass: Boolean(values.dangerouslySkipPermissions ?? values.allowDangerouslySkipPermissions),
    allowedTools: values.allowedTools ?? [],
    disallowedTools: values.disallowedTools ?? [],
    addDir: values.addDir ?? [],
    continue: values.continue ?? false,
    debug: values.debug ?? false,
    forkSession: values.forkSession ?? false,
    persistSession: !values.noSessionPersistence,
    replayUserMessages: values.replayUserMessages ?? false,
    sessionMirror: values.sessionMirror ?? false,
    further: furtherOptions(values, note),
    ...(inputFormat === undefined ? {} : { inputFormat }),
    ...(permissionTimeout === undefined ? {} : { permissionTimeout }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(outputFormat === undefined ? {} : { outputFormat }),
    ...(permissionMode === undefined ? {} : { permissionMode }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(maxBudgetUsd === undefined ? {} : { maxBudgetUsd }),
    ...(values.tools === undefined ? {} : { tools: values.tools }),
    ...(values.settings === undefined ? {} : { settings: settingsOf(values.settings) }),
    ...(values.settingSources === undefined ? {} : { settingSources: sourcesOf(values.settingSources) }),
    ...(values.permissionPromptTool === undefined
      ? {}
      : { permissionPromptTool: named('permissionPromptTool', values.permissionPromptTool) }),
    ...(values.model === undefined ? {} : { model: named('model', values.model) }),
    ...(values.record === undefined ? {} : { record: named('record', values.record) }),
    ...(values.systemPrompt === undefined ? {} : { systemPrompt: values.systemPrompt }),
    ...(values.appendSystemPrompt === undefined ? {} : { appendSystemPrompt: values.appendSystemPrompt }),
    ...(values.resume === undefined ? {} : { resume: values.resume }),
    ...(values.sessionId === undefined ? {} : { sessionId: uuid('sessionId', values.sessionId) }),
    ...(values.debugFile === undefined ? {} : { debugFile: named('debugFile', values.debugFile) }),
  };
}

function refuseContradictions(values: ChatValues): void {
  const goesOn = values.continue === true || values.resume !== undefined;
  if (values.continue && values.resume !== undefined) {
    throw invalid('--continue and --resume name different sessions: use one of them.');
  }
  if (values.sessionId !== undefined && goesOn && !values.forkSession) {
    throw invalid('--session-id names a new session: with --continue or --resume it needs --fork-session.');
  }
  if (values.noSessionPersistence && goesOn) {
    throw invalid('--no-session-persistence keeps nothing, so there is nothing to --continue or --resume.');
  }
  if (values.includePartialMessages && values.outputFormat !== 'stream-json') {
    throw invalid('--include-partial-messages needs --output-format stream-json.');
  }
}

/** What only programs get needs lines for programs; and lines of input need such output, which answers them. */
function refuseFormats(values: ChatValues, input: ChatRequest['inputFormat'], positionals: readonly string[]): void {
  const isStream = values.outputFormat === 'stream-json';
  const [only] = (['includeHookEvents', 'forwardSubagentText', 'promptSuggestions'] as const).filter(
    (name) => values[name] && !isStream,
  );
  if (only !== undefined) throw invalid(`${spelled(only)} needs --output-format stream-json.`);
  if (input === 'stream-json') {
    if (!isStream) throw invalid('--input-format stream-json needs --output-format stream-json.');
    if (positionals.length > 0)
      throw invalid(`With --input-format stream-json messages come on standard input, not "${positionals[0]}".`);
    return;
  }
  if (values.replayUserMessages) throw invalid('--replay-user-messages needs --input-format stream-json.');
  if (values.permissionPromptTool === 'stdio')
    throw invalid('--permission-prompt-tool stdio needs --input-format stream-json.');
  if (values.sessionMirror)
    throw invalid('--session-mirror needs --input-format stream-json, whose client has the store.');
  if (values.permissionTimeout !== undefined)
    throw invalid('--permission-timeout needs --input-format stream-json and --permission-prompt-tool stdio.');
}

/** Clients hand on whatever their caller says, and the reference's command takes a 0. */
function isNoLimit({ maxTurns }: ChatValues, input: ChatRequest['inputFormat'], note: (text: string) => void): boolean {
  if (maxTurns !== '0' || input !== 'stream-json') return false;
  note('--max-turns 0 sets no limit.');
  return true;
}

function settingsOf(value: string): string {
  const settings = named('settings', value);
  checkJsonOrFile(spelled('settings'), settings);
  return settings;
}

/** Skipping permissions is a mode; naming another one beside it leaves open what is meant. */
function modeOf(values: ChatValues): ModeName | undefined {
  // The other spelling of `default` in the reference's help page.
  const written = values.permissionMode === 'manual' ? 'default' : values.permissionMode;
  const mode = choice('permissionMode', written);
  if (!values.dangerouslySkipPermissions) return mode;
  if (mode !== undefined && mode !== 'bypassPermissions') {
    throw invalid(`--dangerously-skip-permissions contradicts --permission-mode ${mode}: use one of them.`);
  }
  return 'bypassPermissions';
}

function onePrompt(positionals: readonly string[]): string | undefined {
  const [prompt, second] = positionals;
  if (second === undefined) return prompt;
  const [command] = nearestNames(prompt ?? '', commandNames);
  const way = command === undefined ? 'Quote it.' : `Quote it, or did you mean rondo ${command}?`;
  throw invalid(`The prompt is one argument, but there are ${positionals.length}: "${prompt}", "${second}". ${way}`);
}

function choice<Name extends 'inputFormat' | 'outputFormat' | 'permissionMode'>(
  name: Name,
  value: string | undefined,
): (typeof chatFlags)[Name]['choices'][number] | undefined {
  if (value === undefined) return undefined;
  const choices: readonly (typeof chatFlags)[Name]['choices'][number][] = chatFlags[name].choices;
  const found = choices.find((known) => known === value);
  if (found !== undefined) return found;
  const [nearest] = nearestNames(value, choices);
  const way = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  throw invalid(`${spelled(name)} takes ${choices.join(', ')}, not "${value}".${way}`);
}

const sourceNames: readonly SourceName[] = ['user', 'project', 'local'];

/** @throws RondoError `input.invalid` naming the flag and what it takes. */
export function sourcesOf(values: readonly string[]): SourceName[] {
  return values.map((value) => {
    const found = sourceNames.find((known) => known === value);
    if (found !== undefined) return found;
    const [nearest] = nearestNames(value, sourceNames);
    const way = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    throw invalid(`${spelled('settingSources')} takes ${sourceNames.join(', ')}, not "${value}".${way}`);
  });
}

function positiveInteger(name: 'maxTurns', value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(Number(value)) || Number(value) < 1) {
    throw invalid(`${spelled(name)} takes a whole number from 1, not "${value}".`);
  }
  return Number(value);
}

function positiveNumber(name: 'maxBudgetUsd' | 'permissionTimeout', value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^(\d+(\.\d*)?|\.\d+)$/.test(value) || Number(value) <= 0) {
    const what = {
      maxBudgetUsd: 'an amount above 0 in US dollars, such as 0.50',
      permissionTimeout: 'seconds above 0',
    };
    throw invalid(`${spelled(name)} takes ${what[name]}, not "${value}".`);
  }
  return Number(value);
}

function uuid(name: 'sessionId', value: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) return value.toLowerCase();
  throw invalid(`${spelled(name)} takes a UUID, not "${value}".`);
}

function named(name: 'model' | 'record' | 'debugFile' | 'settings' | 'permissionPromptTool', value: string): string {
  if (value.trim() !== '') return value;
  throw invalid(`${spelled(name)} needs a value: ${spelled(name)} ${chatFlags[name].placeholder}`);
}

function spelled(name: keyof typeof chatFlags): string {
  return flagSpelling(name, chatFlags[name]);
}

function invalid(message: string): RondoError {
  return new RondoError('input.invalid', message);
}
