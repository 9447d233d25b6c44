import { nearestNames, RondoError } from '@rondo/protocol/values';
import { catalogModelNames } from '@rondo/providers';
import { getModelSettings } from '@rondo/sdk';
import type { CommandContext } from '../command/command-context.ts';
import type { ModelsValues } from '../command/flag-tables.ts';
import { print } from '../process/print.ts';
import { createPainter } from '../terminal/painter.ts';
import { describeModels, type ModelsReport } from './describe-models.ts';
import { localServers } from './local-servers.ts';
import { modelsText } from './models-text.ts';

/** `rondo models [FILTER]`: what models there are, for people or, with `--json`, for programs. Needs no key. */
export async function runModels(
  values: ModelsValues,
  positionals: readonly string[],
  { redact }: Pick<CommandContext, 'redact'>,
): Promise<number> {
  const [filter = '', more] = positionals;
  if (more !== undefined) throw new RondoError('input.invalid', `rondo models takes one FILTER, not also "${more}".`);
  const { env } = process;
  const [effective, found, { hostedServers }] = await Promise.all([
    getModelSettings(),
    localServers(env),
    import('@rondo/providers/openai-compatible'),
  ]);
  const report = describeModels({ env, effective, found, hosted: hostedServers, filter });
  if (values.json) {
    await print(`${redact(JSON.stringify(report, null, 2))}\n`);
    return 0;
  }
  if (filter !== '' && isEmpty(report)) throw nothingCalled(filter);
  const width = process.stdout.isTTY ? process.stdout.columns || 80 : 400;
  await print(redact(modelsText(report, { width, paint: createPainter(process.stdout) })));
  return 0;
}

function isEmpty({ providers, servers, localServers: local, aliases }: ModelsReport): boolean {
  return [providers, servers, local, aliases].every((list) => list.length === 0);
}

function nothingCalled(filter: string): RondoError {
  const bare = catalogModelNames().map((name) => name.slice(name.indexOf('/') + 1));
  const nearest = nearestNames(filter, bare, 3);
  const hint = nearest.length === 0 ? '' : ` Did you mean ${nearest.join(', ')}?`;
  return new RondoError('model.unknown', `No model, server or short name has "${filter}" in its name.${hint}`);
}
