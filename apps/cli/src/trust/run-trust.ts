import { resolve } from 'node:path';
import { RondoError } from '@rondo/protocol/values';
import { distrustFolder, type FolderTrust, getFolderTrust, listTrustedFolders, trustFolder } from '@rondo/sdk';
import type { CommandContext } from '../command/command-context.ts';
import type { TrustValues } from '../command/flag-tables.ts';
import { print } from '../process/print.ts';
import { printableText } from '../terminal/printable-text.ts';
import { trustText } from './trust-text.ts';

/**
 * `rondo trust [FOLDER]`: what a folder would bring in, and to trust it. On a terminal it asks; elsewhere it only tells,
 * unless `--yes` says that somebody has looked.
 */
export async function runTrust(
  values: TrustValues,
  positionals: readonly string[],
  { redact }: Pick<CommandContext, 'redact'>,
): Promise<number> {
  const [name = '.', more] = positionals;
  if (more !== undefined) throw new RondoError('input.invalid', `rondo trust takes one FOLDER, not also "${more}".`);
  const cwd = resolve(name);
  if (values.list) return await list(values, redact);
  if (values.revoke) {
    const was = await distrustFolder({ cwd });
    await print(`${was ? `Nothing of ${cwd} is trusted any more.` : `Nothing of ${cwd} was trusted.`}\n`);
    return 0;
  }
  const seen = await getFolderTrust({ cwd });
  const waits = seen.parts.some(({ state }) => state !== 'trusted');
  if (values.yes && waits) return await trust(cwd, seen, { values, redact });
  await show(seen, { values, redact });
  if (!waits || values.json || !process.stdin.isTTY || !process.stdout.isTTY) return waits ? 1 : 0;
  const { createInterface } = await import('node:readline/promises');
  const reader = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await reader.question('Trust this as it is now? y or n: ').catch(() => '');
    if (!/^y(es)?$/i.test(answer.trim())) {
      await print('Nothing was changed.\n');
      return 1;
    }
  } finally {
    reader.close();
  }
  return await trust(cwd, seen, { values, redact });
}

type Shown = { readonly values: TrustValues; readonly redact: CommandContext['redact'] };

/** What was shown is what is trusted: a file that changed in between is not. */
async function trust(cwd: string, seen: FolderTrust, shown: Shown): Promise<number> {
  const now = await trustFolder({ cwd, seen });
  await show(now, shown);
  const changed = now.parts.filter(({ state }) => state !== 'trusted').map((part) => part.name);
  if (changed.length === 0) return 0;
  throw new RondoError(
    'input.invalid',
    `${changed.join(', ')} changed while you looked, and is not trusted; look again.`,
  );
}

async function show(trusted: FolderTrust, { values, redact }: Shown): Promise<void> {
  await print(
    values.json ? `${redact(JSON.stringify(trusted, null, 2))}\n` : redact(printableText(trustText(trusted))),
  );
}

async function list({ json }: TrustValues, redact: CommandContext['redact']): Promise<number> {
  const folders = await listTrustedFolders();
  if (json) await print(`${redact(JSON.stringify(folders, null, 2))}\n`);
  else if (folders.length === 0) await print('No folder is trusted.\n');
  else {
    const lines = folders.map(
      ({ folder, trustedAt, parts }) => `${trustedAt.slice(0, 10)}  ${folder}  (${Object.keys(parts).join(', ')})`,
    );
    await print(`${printableText(lines.join('\n'))}\n`);
  }
  return 0;
}
