import { RondoError } from '@rondo/protocol/values';
import { type ResolvedSettings, resolveSettings } from '@rondo/sdk';
import { sourcesOf } from '../command/chat-request.ts';
import type { CommandContext } from '../command/command-context.ts';
import type { SettingsValues } from '../command/flag-tables.ts';
import { print } from '../process/print.ts';
import { createPainter } from '../terminal/painter.ts';
import { hideKeys } from './hide-keys.ts';
import { settingText, settingsText } from './settings-text.ts';
import { valueAt } from './value-at.ts';

/** `rondo settings [KEY]`: what a session here would work by, and where each part of it comes from. */
export async function runSettings(
  values: SettingsValues,
  positionals: readonly string[],
  { redact }: Pick<CommandContext, 'redact'>,
): Promise<number> {
  const [key, more] = positionals;
  if (more !== undefined) throw new RondoError('input.invalid', `rondo settings takes one KEY, not also "${more}".`);
  const found = await resolveSettings({
    ...(values.settings === undefined ? {} : { settings: values.settings }),
    ...(values.settingSources === undefined ? {} : { settingSources: sourcesOf(values.settingSources) }),
  });
  const resolved = hideKeys(found);
  const isBroken = resolved.problems.some(({ severity }) => severity === 'broken');
  const show = async (json: unknown, text: (width: number) => string): Promise<void> =>
    await print(redact(values.json ? `${JSON.stringify(json, null, 2)}\n` : text(process.stdout.columns ?? 80)));
  const paint = createPainter(process.stdout);
  if (key === undefined) {
    await show(resolved, (width) => settingsText(resolved, { width, paint }));
    return isBroken ? 1 : 0;
  }
  const value = valueAt(resolved.effective, key);
  const from = originsOf(resolved, key);
  if (value === undefined)
    throw new RondoError('input.invalid', `nothing says ${key}; rondo settings lists what is said.`, {
      details: { key },
    });
  await show({ key, value, from }, () => settingText(value, from));
  return isBroken ? 1 : 0;
}

/** The files that say the key, or anything below it. */
function originsOf({ origins }: ResolvedSettings, key: string): readonly string[] {
  const named = Object.entries(origins).filter(([each]) => each === key || each.startsWith(`${key}.`));
  const above = Object.entries(origins).filter(([each]) => key.startsWith(`${each}.`));
  return [...new Set([...named, ...above].flatMap(([, files]) => files))];
}
