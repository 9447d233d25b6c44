import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScriptFile, ScriptStep } from '@rondo/providers/scripted';
import type { Place } from './place.ts';

export interface ScriptHead extends Partial<ScriptFile> {
  /** What tells it from other scripts of the same place. */
  readonly name?: string;
}

/**
 * Writes a script that has to be used to its last step, and gives the arguments that make it the command's model. What a
 * request has to hold, its steps expect: the command fails where it does not.
 */
export function writeScript(place: Place, steps: readonly ScriptStep[], head: ScriptHead = {}): string[] {
  return ['--model', scriptModel(place, steps, head)];
}

/** The same, as the name of a model, for programs. */
export function scriptModel(place: Place, steps: readonly ScriptStep[], head: ScriptHead = {}): string {
  const { name = 'script', ...more } = head;
  const file = join(place.folder, `${name}.json`);
  writeFileSync(file, JSON.stringify({ version: 1, unused: 'error', ...more, steps } satisfies ScriptFile));
  return `scripted/${file}`;
}
