import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScriptFile, ScriptStep } from '@rondo/providers/scripted';
import type { Place } from './place.ts';

/**
 * Writes a script that has to be used to its last step, and gives the arguments that make it the command's model. What a
 * request has to hold, its steps expect: the command fails where it does not.
 */
export function writeScript(place: Place, steps: readonly ScriptStep[], head: Partial<ScriptFile> = {}): string[] {
  const file = join(place.folder, 'script.json');
  writeFileSync(file, JSON.stringify({ version: 1, unused: 'error', ...head, steps } satisfies ScriptFile));
  return ['--model', `scripted/${file}`];
}
