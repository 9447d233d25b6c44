import { appendFileSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { JsonObject } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { isJsonFile, readScript } from './read-script.ts';
import type { Script } from './script.ts';
import type { ScriptVariables } from './variables.ts';

/** A script that is being recorded. After every step the file is one that can be played. */
export interface RecordingFile {
  /** What an earlier run recorded in it. */
  readonly before: Script | undefined;
  /** @throws RondoError `input.invalid` where the file cannot be written. */
  append(step: JsonObject): void;
}

export interface RecordingFileOptions {
  readonly file: string;
  /** What stands above the steps of a new file. */
  readonly head: JsonObject;
  readonly variables: ScriptVariables;
}

const comment = `# Recorded by rondo --record. Play it with --model scripted/FILE; what of the requests has to stay the same, match and
# ignore say. Edit it as you like.
`;

/**
 * Opens a recording. One that is there already can be gone on with.
 * @throws RondoError `input.invalid` for a file that is something else, which is never written over, and for a place
 * where none can be.
 */
export async function openRecordingFile(options: RecordingFileOptions): Promise<RecordingFile> {
  const { file } = options;
  if (!existsSync(dirname(file))) throw cannotRecord(file, `there is no folder ${dirname(file)}`);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw cannotRecord(file, 'it is a folder');
  const { before, append } = await openFile(options, existsSync(file) ? readFileSync(file, 'utf8') : '');
  return {
    before,
    append(step) {
      try {
        append(step);
      } catch (cause) {
        throw cannotRecord(file, cause instanceof Error ? cause.message : String(cause), cause);
      }
    },
  };
}

async function openFile(options: RecordingFileOptions, text: string): Promise<RecordingFile> {
  const { file, variables } = options;
  if (text.trim() === '') return isJsonFile(file) ? jsonFile(options) : newYamlFile(options);
  const before = await readScript(text, { file, variables }).catch((cause: unknown) => {
    throw notOurs(file, cause);
  });
  if (before.recorded === undefined) throw notOurs(file);
  return { ...(isJsonFile(file) ? jsonFile(options, text) : await yamlFile(file, text)), before };
}

/** The list of steps comes last and each is an item of it, so a step is written by writing behind what is there. */
async function newYamlFile({ file, head }: RecordingFileOptions): Promise<RecordingFile> {
  const { Document, isMap } = await import('yaml');
  const render = (value: unknown): string => {
    const document = new Document(value);
    const step = document.getIn(['steps', 0], true);
    const usage = isMap(step) ? step.get('usage', true) : undefined;
    if (isMap(usage)) usage.flow = true;
    return document.toString({ lineWidth: 0, blockQuote: 'literal' });
  };
  let above: string | undefined = `${comment}${render(head)}steps:\n`;
  return {
    before: undefined,
    append(step) {
      const item = render({ steps: [step] }).replace(/^steps:\n/, '');
      appendFileSync(file, `${above ?? ''}${item}`);
      above = undefined;
    },
  };
}

/** Somebody may have edited it: it is read as what it is now, and keeps its comments. */
async function yamlFile(file: string, text: string): Promise<Omit<RecordingFile, 'before'>> {
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text);
  return {
    append(step) {
      document.addIn(['steps'], document.createNode(step));
      replaceFile(file, document.toString({ lineWidth: 0, blockQuote: 'literal' }));
    },
  };
}

function jsonFile({ file, head }: RecordingFileOptions, text?: string): RecordingFile {
  const script = text === undefined ? head : (JSON.parse(text) as JsonObject);
  const steps = Array.isArray(script['steps']) ? [...(script['steps'] as JsonObject[])] : [];
  return {
    before: undefined,
    append(step) {
      steps.push(step);
      replaceFile(file, `${JSON.stringify({ ...script, steps }, undefined, 2)}\n`);
    },
  };
}

/** Whoever looks finds the old file or the new one, never a part. */
function replaceFile(file: string, content: string): void {
  const temporary = `${file}.${process.pid}.part`;
  writeFileSync(temporary, content);
  renameSync(temporary, file);
}

function cannotRecord(file: string, reason: string, cause?: unknown): RondoError {
  return new RondoError('input.invalid', `Nothing can be recorded into ${file}: ${reason}.`, {
    details: { file },
    cause,
  });
}

function notOurs(file: string, cause?: unknown): RondoError {
  return new RondoError(
    'input.invalid',
    `${file} is there already and is no recording, so nothing is recorded into it. Name another file, or remove this one.`,
    { details: { file }, cause },
  );
}
