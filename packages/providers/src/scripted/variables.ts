import { homedir } from 'node:os';

/** What `${…}` in a script stands for. Anything else that looks like it, as shell lines do, stays as it is. */
export interface ScriptVariables {
  /** The folder of the session. */
  readonly cwd: string;
  /** The person's home folder. */
  readonly home: string;
}

export interface VariableSource {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

export function scriptVariables({ cwd = process.cwd(), env = process.env }: VariableSource = {}): ScriptVariables {
  const home = env['HOME'];
  return { cwd, home: home === undefined || home === '' ? homedir() : home };
}

/** The value with its variables replaced. `$${cwd}` is the text `${cwd}`. */
export function withVariables<Value>(value: Value, variables: ScriptVariables): Value {
  const values: Readonly<Record<string, string>> = { cwd: variables.cwd, home: variables.home };
  return mapTexts(value, (text) =>
    text.includes('${')
      ? text.replace(/(\$?)\$\{(cwd|home)\}/g, (found, escape: string, name: string) =>
          escape === '' ? (values[name] ?? found) : found.slice(1),
        )
      : text,
  );
}

/** The reverse, for what is recorded. */
export function asVariables<Value>(value: Value, { cwd, home }: ScriptVariables): Value {
  return mapTexts(value, (text) => {
    const escaped = text.includes('${') ? text.replace(/\$\{(?:cwd|home)\}/g, (found) => `$${found}`) : text;
    return withFolder(withFolder(escaped, cwd, '${cwd}'), home, '${home}');
  });
}

/** The text with another folder in the place of one. */
export function withFolder(text: string, folder: string, other: string): string {
  return folder.length < 2 || !text.includes(folder) ? text : text.replace(folderPattern(folder), () => other);
}

/** The folder and what is in it, but no other folder whose name begins like it. */
function folderPattern(folder: string): RegExp {
  return new RegExp(`(?<![\\w.-])${escapeRegExp(folder)}(?![\\w-]|\\.\\w)`, 'g');
}

/** Stands for the ID of the session, since no two runs have the same. */
const sessionVariable = '${session-id}';

/** The value with the session's ID in the place of the variable for it. */
export function withSession<Value>(value: Value, sessionId: string | undefined): Value {
  if (sessionId === undefined) return value;
  return mapTexts(value, (text) => text.replaceAll(sessionVariable, () => sessionId));
}

export function asSessionVariable<Value>(value: Value, sessionId: string | undefined): Value {
  // A short one would be found in words.
  if (sessionId === undefined || sessionId.length < 8) return value;
  return mapTexts(value, (text) => text.replaceAll(sessionId, () => sessionVariable));
}

/** The value with every text in it changed; keys stay. */
export function mapTexts<Value>(value: Value, change: (text: string) => string): Value {
  if (typeof value === 'string') return change(value) as Value;
  if (Array.isArray(value)) return value.map((member: unknown) => mapTexts(member, change)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapTexts(member, change)])) as Value;
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
