import { readFile } from 'node:fs/promises';
import { RondoError } from '@rondo/protocol/values';
import type { JsonObject, JsonValue } from '@rondo/protocol';
import { explainPermission, listPermissions, permissionInput, type PermissionOptions } from '@rondo/sdk';
import { sourcesOf } from '../command/chat-request.ts';
import type { CommandContext } from '../command/command-context.ts';
import type { PermissionsValues } from '../command/flag-tables.ts';
import { print } from '../process/print.ts';
import { createPainter } from '../terminal/painter.ts';
import { printableText } from '../terminal/printable-text.ts';
import { explainText } from './explain-text.ts';
import { listText } from './list-text.ts';
import { testPermissions } from './test-permissions.ts';

type Shown = { readonly values: PermissionsValues; readonly redact: CommandContext['redact'] };

/** `rondo permissions explain TOOL INPUT`, `list`, `test FILE`: what may run here and why, by the code that decides it. */
export async function runPermissions(
  values: PermissionsValues,
  positionals: readonly string[],
  { redact }: Pick<CommandContext, 'redact'>,
): Promise<number> {
  const [action, ...rest] = positionals;
  const shown = { values, redact };
  switch (action) {
    case 'explain':
      return await explain(rest, shown);
    case 'list':
      return await list(rest, shown);
    case 'test':
      return await test(rest, shown);
    default:
      throw new RondoError(
        'input.invalid',
        action === undefined
          ? 'rondo permissions explain TOOL INPUT, list, or test FILE: which of them?'
          : `rondo permissions has no "${action}"; it has explain, list and test.`,
      );
  }
}

async function explain([tool, input, more]: readonly string[], { values, redact }: Shown): Promise<number> {
  if (tool === undefined || more !== undefined)
    throw new RondoError(
      'input.invalid',
      'rondo permissions explain takes a TOOL and its INPUT: explain Bash "git status".',
    );
  const given = input?.trim().startsWith('{') === true ? jsonInput(input) : permissionInput(tool, input ?? '');
  const explanation = await explainPermission(tool, given, optionsOf(values));
  await show(values, redact, explanation, (width) =>
    explainText(explanation, { width, paint: createPainter(process.stdout) }),
  );
  return 0;
}

function jsonInput(text: string): JsonObject {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new RondoError('input.invalid', `INPUT begins as JSON and is none: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  return value as JsonObject;
}

async function list([more]: readonly string[], { values, redact }: Shown): Promise<number> {
  if (more !== undefined) throw new RondoError('input.invalid', `rondo permissions list takes no "${more}".`);
  const all = await listPermissions(optionsOf(values));
  await show(values, redact, all, (width) => listText(all, { width, paint: createPainter(process.stdout) }));
  return 0;
}

async function test([file, more]: readonly string[], { values, redact }: Shown): Promise<number> {
  if (file === undefined || more !== undefined)
    throw new RondoError('input.invalid', 'rondo permissions test takes one FILE of cases.');
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new RondoError('input.invalid', `${file} cannot be read: ${(cause as Error).message}`, { cause });
  });
  const outcomes = await testPermissions(text, file, optionsOf(values));
  const failed = outcomes.filter(({ passed }) => !passed);
  await show(
    values,
    redact,
    outcomes,
    () =>
      [
        ...failed.map(({ id, said }) => `✗ ${id}: ${said}`),
        `${outcomes.length - failed.length} passed, ${failed.length} failed`,
      ].join('\n') + '\n',
  );
  return failed.length === 0 ? 0 : 1;
}

async function show(
  values: PermissionsValues,
  redact: CommandContext['redact'],
  value: unknown,
  text: (width: number) => string,
): Promise<void> {
  if (values.json) return await print(`${redact(JSON.stringify(value, null, 2))}\n`);
  await print(redact(printableLines(text(process.stdout.isTTY ? process.stdout.columns || 80 : 120))));
}

/** What is painted is printable already; the rest of it is ours. */
const printableLines = (text: string): string => (process.stdout.isTTY ? text : printableText(text));

function optionsOf(values: PermissionsValues): PermissionOptions {
  const { permissionMode, settings, settingSources } = values;
  return {
    allowedTools: [...(values.allowedTools ?? [])],
    disallowedTools: [...(values.disallowedTools ?? [])],
    additionalDirectories: [...(values.addDir ?? [])],
    ...(values.cwd === undefined ? {} : { cwd: values.cwd }),
    ...(permissionMode === undefined
      ? {}
      : {
          permissionMode: permissionMode as NonNullable<PermissionOptions['permissionMode']>,
          allowDangerouslySkipPermissions: true,
        }),
    ...(settings === undefined ? {} : { settings }),
    ...(settingSources === undefined ? {} : { settingSources: sourcesOf(settingSources) }),
  };
}
