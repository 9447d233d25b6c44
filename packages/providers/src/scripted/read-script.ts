import { readFile } from 'node:fs/promises';
import { RondoError } from '@rondo/protocol/values';
import { isWireObject } from '../dialect/json.ts';
import { checkStep } from './check-step.ts';
import { findProblems, type Path, type Problem } from './find-problems.ts';
import { createScript, type Script } from './script.ts';
import { scriptForm, type ScriptFile } from './script-form.ts';
import { scriptVariables, type ScriptVariables } from './variables.ts';

export interface ReadScriptOptions {
  /** What the file is called in messages. One that ends in `.json` is JSON, any other is YAML. */
  readonly file?: string;
  readonly variables?: ScriptVariables;
}

const mostProblems = 8;

/**
 * Reads a script from its text. YAML loads the library for it, JSON does not.
 * @throws RondoError `input.invalid` naming file, line and key of everything that is wrong.
 */
export async function readScript(text: string, options: ReadScriptOptions = {}): Promise<Script> {
  const { file = 'script.yaml', variables = scriptVariables() } = options;
  const { value, lineOf } = isJsonFile(file) ? parseJson(text, file) : await parseYaml(text, file);
  const problems = problemsOf(value);
  if (problems.length > 0) {
    // Of JSON nobody needs the lines until something is wrong; then the other parser, which reads it too, finds them.
    const lines = lineOf ?? (await parseYaml(text, file)).lineOf;
    throw invalid(
      file,
      problems.slice(0, mostProblems).map((problem) => problemLine(problem, file, lines)),
    );
  }
  return createScript(value as ScriptFile, {
    file,
    variables,
    ...(lineOf !== undefined && { lineOf: (index: number) => lineOf(['steps', index]) }),
  });
}

/** Reads a script from a file. @throws RondoError `input.invalid`, also where there is no such file. */
export async function readScriptFile(path: string, options: ReadScriptOptions = {}): Promise<Script> {
  const { file = path } = options;
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new RondoError('input.invalid', `The script ${path} cannot be read: ${reasonOf(cause)}.`, {
      details: { path },
      cause,
    });
  });
  return readScript(text, { ...options, file });
}

/** What is wrong with a file, for people: the file is named already. */
export function reasonOf(cause: unknown): string {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  if (code === 'EISDIR') return 'it is a folder';
  return cause instanceof Error ? cause.message : String(cause);
}

type LineOf = (path: Path) => number | undefined;

interface Parsed {
  readonly value: unknown;
  readonly lineOf?: LineOf;
}

export function isJsonFile(file: string): boolean {
  return file.toLowerCase().endsWith('.json');
}

function parseJson(text: string, file: string): Parsed {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    throw invalid(file, [`${file}: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

async function parseYaml(text: string, file: string): Promise<Required<Parsed>> {
  const { isNode, LineCounter, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    throw invalid(
      file,
      document.errors.slice(0, mostProblems).map(({ message, pos }) => {
        const { line, col } = lines.linePos(pos[0]);
        return `${file}:${line}:${col}: ${message}`;
      }),
    );
  }
  const lineOf: LineOf = (path) => {
    for (let length = path.length; length >= 0; length -= 1) {
      const node = document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
    }
    return undefined;
  };
  return { value: document.toJS() as unknown, lineOf };
}

function problemsOf(value: unknown): Problem[] {
  if (Array.isArray(value))
    return [{ path: [], message: 'is a list; a script is a mapping: version: 1, and the list under steps' }];
  const problems = findProblems(value, scriptForm);
  if (problems.length > 0 || !isWireObject(value)) return problems;
  return (value as ScriptFile).steps.flatMap((step, index) => checkStep(step, ['steps', index]));
}

function problemLine({ path, message }: Problem, file: string, lineOf: LineOf): string {
  const line = lineOf(path);
  return `${file}${line === undefined ? '' : `:${line}`}: ${placeOf(path)}${message}`;
}

/** `steps[2].call: `, counted as in the file's JSON. */
function placeOf(path: Path): string {
  let place = '';
  for (const key of path) place += typeof key === 'number' ? `[${key}]` : place === '' ? key : `.${key}`;
  return place === '' ? '' : `${place}: `;
}

function invalid(file: string, problems: readonly string[]): RondoError {
  return new RondoError(
    'input.invalid',
    `The script ${file} cannot be played:\n${problems.map((line) => `  ${line}`).join('\n')}`,
    {
      details: { file, problems },
    },
  );
}
