import type { ModelFacts } from '@rondo/providers';
import { wrapWords } from '../command/wrap-words.ts';
import { cutLine, printableText } from '../terminal/printable-text.ts';
import type { Paint } from '../terminal/painter.ts';
import type { AliasReport, ModelReport, ModelsReport, ProviderReport, ServerReport } from './describe-models.ts';
import { modelFlag } from './local-servers.ts';

export interface ModelsTextOptions {
  /** Columns; no line is longer. */
  readonly width: number;
  readonly paint: Paint;
}

/** The report for people: what runs by default, then each provider's models, servers, and short names. */
export function modelsText(report: ModelsReport, { width, paint }: ModelsTextOptions): string {
  const heading = (text: string): string => paint('bold', cutLine(printableText(text), width));
  const lines = (rows: readonly string[]): string[] => rows.map((row) => cutLine(printableText(row).trimEnd(), width));
  const parts: string[][] = [lines(defaultLines(report.default))];
  const models = table(
    report.providers.map(({ models: own }) => own.map(modelCells)),
    modelHead,
  );
  report.providers.forEach((provider, index) => {
    parts.push([heading(providerHeading(provider)), ...lines(models[index] ?? [])]);
  });
  if (report.servers.length > 0) parts.push([heading('Servers'), ...lines(serverLines(report.servers))]);
  for (const server of report.localServers) {
    const rows = server.models.map((model) => {
      const { contextWindow, loaded } = model;
      const window = contextWindow === undefined ? '' : `  ${count(contextWindow)} tokens`;
      return `  ${modelFlag(server, model)}${window}${loaded === true ? '  loaded' : ''}`;
    });
    parts.push([heading(`On this machine: ${server.title}, ${server.baseUrl}`), ...lines(rows)]);
  }
  if (report.aliases.length > 0) parts.push([heading('Short names'), ...lines(aliasLines(report.aliases, width))]);
  parts.push(wrapWords(footer(report), width).map((line) => paint('dim', line)));
  return `${parts.map((part) => part.join('\n')).join('\n\n')}\n`;
}

function defaultLines({ alias, model, problem, from }: AliasReport): string[] {
  const meaning = model === null ? (problem ?? '') : model;
  return [`Default  ${alias === meaning ? '' : `${alias} → `}${meaning}  (${from})`];
}

function providerHeading(provider: ProviderReport): string {
  const { name, baseUrl } = provider;
  return `${name}${keyNote(provider)}${baseUrl === undefined ? '' : `  at ${baseUrl.value} (${baseUrl.variable})`}`;
}

function keyNote({ keyVariables, keyFrom, needsKey }: ProviderReport): string {
  const [usual, ...others] = keyVariables;
  if (usual === undefined) return '';
  if (keyFrom !== null) return `  key: ${keyFrom}`;
  if (!needsKey) return '  no key, and none needed';
  return `  no key: set ${usual}${others.length === 0 ? '' : `, or ${others.join(', ')}`}`;
}

const modelHead = ['MODEL', 'WINDOW', 'OUTPUT', '$ IN', '$ OUT', 'CACHED', 'TAKES'];

function modelCells({ name, contextWindow, maxOutputTokens, price, input }: ModelReport): string[] {
  const more = price?.longPrompt === undefined ? '' : '+';
  return [
    name.slice(name.indexOf('/') + 1),
    contextWindow === undefined ? '?' : count(contextWindow),
    maxOutputTokens === undefined ? '?' : count(maxOutputTokens),
    price === undefined ? '?' : `${price.input}${more}`,
    price === undefined ? '?' : `${price.output}${more}`,
    price?.cacheRead === undefined ? '' : `${price.cacheRead}${more}`,
    takes(input),
  ];
}

function takes(input: ModelFacts['input']): string {
  if (input === undefined) return '';
  const kinds = [
    input.images?.length === 0 ? undefined : 'image',
    (input.documents ?? []).includes('application/pdf') ? 'PDF' : undefined,
    (input.audio ?? []).length > 0 ? 'audio' : undefined,
  ];
  return kinds.filter((kind) => kind !== undefined).join(' ');
}

function serverLines(servers: readonly ServerReport[]): string[] {
  const rows = servers.map(({ prefix, baseUrl, kind, keyVariable, keyIsSet }) => [
    `${prefix}MODEL`,
    keyVariable === undefined ? 'no key' : `key: ${keyVariable}${keyIsSet === true ? '' : ' is not set'}`,
    kind === undefined ? baseUrl : `${baseUrl} (${kind})`,
  ]);
  return table([rows])[0] ?? [];
}

/** Those that mean no model stand below the others, each with the reason. */
function aliasLines(aliases: readonly AliasReport[], width: number): string[] {
  const rows = aliases.flatMap(({ alias, model, from }) =>
    model === null ? [] : [[alias, model, from === 'built in' ? '' : `(${from})`]],
  );
  const broken = aliases.flatMap(({ alias, model, problem, from }) =>
    model === null ? wrapWords(`${alias} (${from}): ${problem ?? 'means no model'}`, width - 4) : [],
  );
  return [...(table([rows])[0] ?? []), ...broken.map((line) => `  ${line}`)];
}

function footer({ catalogDate, providers }: ModelsReport): string {
  const models = providers.flatMap(({ models: own }) => own);
  const long = models.some(({ price }) => price?.longPrompt !== undefined) ? ' + costs more for long prompts.' : '';
  const unknown = models.some((model) => modelCells(model).includes('?')) ? ' ? is not known.' : '';
  return `Prices are US dollars a million tokens, windows are tokens, as read on ${catalogDate}.${long}${unknown} A model that is not listed works as well, without a price. models.facts in settings.json changes these.`;
}

/** Groups of rows with columns in line across all of them; every column but the first and the last is of figures. */
function table(groups: readonly (readonly (readonly string[])[])[], head?: readonly string[]): string[][] {
  const all = [...groups.flat(), ...(head === undefined ? [] : [head])];
  const widths = (all[0] ?? []).map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const last = widths.length - 1;
  const line = (row: readonly string[]): string =>
    `  ${row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return head !== undefined && column > 0 && column < last ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')}`.trimEnd();
  return groups.map((rows) => [...(head === undefined || rows.length === 0 ? [] : [line(head)]), ...rows.map(line)]);
}

/** 1,050,000 → `1.05M`, 65,536 → `66K`. */
function count(tokens: number): string {
  if (tokens >= 1_000_000) return `${Number((tokens / 1_000_000).toFixed(2))}M`;
  return tokens >= 1_000 ? `${Math.round(tokens / 1_000)}K` : String(tokens);
}
