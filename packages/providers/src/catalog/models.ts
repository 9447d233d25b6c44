import type { Effort, ModelInput, ModelPrice } from '@rondo/runtime';
import type { CatalogModel } from './catalog-model.ts';

/** When the figures below were read, from the vendors' model and pricing pages and public registries of them. */
export const catalogDate = '2026-11-30';

const thousand = 1_000;
const million = 1_000_000;
const mebi = 1_048_576;
export const allEfforts: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];
const upToMax = allEfforts.filter((effort) => effort !== 'xhigh');
const upToExtraHigh = allEfforts.slice(0, 4);
const upToHigh = allEfforts.slice(0, 3);

export type Models = Readonly<Record<string, CatalogModel>>;

/** US dollars a million tokens. A vendor that does not charge for writing to its cache reports none. */
function price(input: number, output: number, cacheRead: number): ModelPrice {
  return { input, output, cacheRead };
}

/** What depends on the length of the prompt: the whole request costs that many times as much. */
function longer(base: ModelPrice, aboveTokens: number, factor: { input: number; output: number }): ModelPrice {
  const { input, output, cacheRead, cacheWrite } = base;
  const longPrice = {
    input: times(input, factor.input),
    output: times(output, factor.output),
    ...(cacheRead !== undefined && { cacheRead: times(cacheRead, factor.input) }),
    ...(cacheWrite !== undefined && { cacheWrite: times(cacheWrite, factor.input) }),
  };
  return { ...base, longPrompt: { aboveTokens, price: longPrice } };
}

/** As a price list writes it: 0.1 × 3 is 0.3. */
function times(amount: number, factor: number): number {
  return Math.round(amount * factor * million) / million;
}

/* Anthropic */

/** Prices of its cache follow from the input price (write 1.25 ×, for an hour 2 ×); reading is named where not 0.1 ×. */
function claudePrice(input: number, output: number, cacheRead = times(input, 0.1)): ModelPrice {
  return { input, output, cacheRead, cacheWrite: times(input, 1.25), cacheWriteOneHour: times(input, 2) };
}

const claudeInput: ModelInput = {
  documents: ['application/pdf'],
  maxImages: 600,
  maxImageCharacters: 5 * mebi,
  maxImageEdge: 8_000,
  manyImages: { above: 20, maxImageEdge: 2_000 },
  maxDocumentPages: 600,
  maxRequestCharacters: 32 * million,
};
const claude = {
  contextWindow: million,
  maxOutputTokens: 128 * thousand,
  efforts: allEfforts,
  input: claudeInput,
} as const;
/** Those that are told of a task's budget, as the vendor's page on it lists them. */
const budgeted = { ...claude, taskBudget: true } as const;
const smallClaude = {
  contextWindow: 200 * thousand,
  maxOutputTokens: 64 * thousand,
  efforts: [],
  thinking: 'budget',
  input: { ...claudeInput, maxImages: 100, maxDocumentPages: 100 },
} as const;

const anthropic = (): Models => ({
  'claude-fable-5-2': { ...claude, price: claudePrice(8, 40, 0.2), thinking: 'always', boundThinking: true },
  'claude-fable-5-1': { ...budgeted, price: claudePrice(10, 50, 0.25), thinking: 'always', boundThinking: true },
  'claude-fable-5': { ...budgeted, price: claudePrice(10, 50), thinking: 'always' },
  'claude-mythos-5-1': { ...budgeted, price: claudePrice(10, 50, 0.25), thinking: 'always', boundThinking: true },
  'claude-mythos-5': { ...budgeted, price: claudePrice(10, 50), thinking: 'always' },
  'claude-opus-5-5': { ...budgeted, price: claudePrice(4, 20, 0.2), thinking: 'always', boundThinking: true },
  'claude-opus-5': { ...budgeted, price: claudePrice(5, 25), thinking: 'adaptive', offUpTo: 'high' },
  'claude-opus-4-8': { ...budgeted, price: claudePrice(5, 25), thinking: 'adaptive' },
  'claude-opus-4-7': { ...budgeted, price: claudePrice(5, 25), thinking: 'adaptive' },
  'claude-opus-4-6': { ...claude, price: claudePrice(5, 25), thinking: 'either', efforts: upToMax },
  'claude-opus-4-5': { ...smallClaude, price: claudePrice(5, 25), efforts: upToHigh },
  'claude-sonnet-5-5': {
    ...budgeted,
    price: claudePrice(2, 10, 0.1),
    thinking: 'between_tools',
    offUpTo: 'high',
    boundThinking: true,
  },
  'claude-sonnet-5': { ...claude, price: claudePrice(2, 10), thinking: 'adaptive' },
  'claude-sonnet-4-6': {
    ...claude,
    maxOutputTokens: 64 * thousand,
    price: claudePrice(3, 15),
    thinking: 'either',
    efforts: upToMax,
  },
  'claude-sonnet-4-5': { ...smallClaude, price: claudePrice(3, 15) },
  'claude-haiku-5-5': {
    ...budgeted,
    price: { ...claudePrice(0.1, 0.5), longPrompt: { aboveTokens: 100 * thousand, price: claudePrice(0.5, 2.5) } },
    thinking: 'adaptive',
    offUpTo: 'high',
    boundThinking: true,
  },
  'claude-haiku-4-5': { ...smallClaude, price: claudePrice(1, 5) },
});

/* OpenAI */

const gptInput: ModelInput = {
  documents: ['application/pdf'],
  maxImages: 500,
  maxDocumentCharacters: 66 * million,
  maxRequestCharacters: 66 * million,
};
const longGpt = { contextWindow: 1_050_000, maxOutputTokens: 128 * thousand, input: gptInput } as const;
const gpt = { contextWindow: 400 * thousand, maxOutputTokens: 128 * thousand, input: gptInput } as const;
const plainGpt = { efforts: [], input: gptInput } as const;
const oSeries = {
  contextWindow: 200 * thousand,
  maxOutputTokens: 100 * thousand,
  efforts: upToHigh,
  input: gptInput,
} as const;
const orNone = { noEffort: 'none' } as const;
/** These cannot be told not to reason, only to reason little. */
const orMinimal = { noEffort: 'minimal' } as const;

/** Prompts above 272,000 tokens cost twice as much, their replies half as much again. */
function longGptPrice(base: ModelPrice): ModelPrice {
  return longer(base, 272 * thousand, { input: 2, output: 1.5 });
}

/** Since GPT-5.6 writing to the cache has a price. */
function gptSixPrice(input: number, output: number, cacheRead: number): ModelPrice {
  return longGptPrice({ input, output, cacheRead, cacheWrite: times(input, 1.25) });
}

const openai = (): Models => ({
  'gpt-6.2-astra': { ...longGpt, efforts: allEfforts, price: gptSixPrice(8, 40, 0.4) },
  'gpt-6.2-sol': { ...longGpt, efforts: allEfforts, price: gptSixPrice(2, 10, 0.1) },
  'gpt-6.1-sol': { ...longGpt, efforts: allEfforts, price: gptSixPrice(2, 10, 0.1) },
  'gpt-6.1-terra': { ...longGpt, efforts: allEfforts, ...orNone, price: gptSixPrice(1, 5, 0.05) },
  'gpt-6-astra': { ...longGpt, efforts: allEfforts, price: gptSixPrice(10, 50, 1) },
  'gpt-6-sol': { ...longGpt, efforts: allEfforts, ...orNone, price: gptSixPrice(2, 10, 0.2) },
  'gpt-6-luna': { ...longGpt, efforts: allEfforts, ...orNone, price: gptSixPrice(0.1, 0.5, 0.01) },
  'gpt-5.6': { ...longGpt, efforts: allEfforts, ...orNone, price: gptSixPrice(4, 20, 0.4) },
  'gpt-5.6-sol': { ...longGpt, efforts: allEfforts, ...orNone, price: gptSixPrice(4, 20, 0.4) },
  'gpt-5.6-terra': { ...longGpt, efforts: allEfforts, ...orNone, price: gptSixPrice(2, 12, 0.2) },
  'gpt-5.6-luna': { ...longGpt, efforts: allEfforts, ...orNone, price: gptSixPrice(0.2, 1.2, 0.02) },
  'gpt-5.5': { ...longGpt, efforts: upToExtraHigh, ...orNone, price: longGptPrice(price(5, 30, 0.5)) },
  'gpt-5.4': { ...longGpt, efforts: upToExtraHigh, ...orNone, price: longGptPrice(price(2.5, 15, 0.25)) },
  'gpt-5.4-mini': { ...gpt, efforts: upToExtraHigh, ...orNone, price: price(0.75, 4.5, 0.075) },
  'gpt-5.4-nano': { ...gpt, efforts: upToExtraHigh, ...orNone, price: price(0.2, 1.25, 0.02) },
  'gpt-5.3-codex': { ...gpt, efforts: upToExtraHigh, price: price(1.75, 14, 0.175) },
  'gpt-5.2-codex': { ...gpt, efforts: upToExtraHigh, price: price(1.75, 14, 0.175) },
  'gpt-5.2': { ...gpt, efforts: upToExtraHigh, ...orNone, price: price(1.75, 14, 0.175) },
  'gpt-5.1-codex': { ...gpt, efforts: upToHigh, price: price(1.25, 10, 0.125) },
  'gpt-5.1': { ...gpt, efforts: upToHigh, ...orNone, price: price(1.25, 10, 0.125) },
  'gpt-5': { ...gpt, efforts: upToHigh, ...orMinimal, price: price(1.25, 10, 0.125) },
  'gpt-5-mini': { ...gpt, efforts: upToHigh, ...orMinimal, price: price(0.25, 2, 0.025) },
  'gpt-5-nano': { ...gpt, efforts: upToHigh, ...orMinimal, price: price(0.05, 0.4, 0.005) },
  'gpt-4.1': { ...plainGpt, contextWindow: 1_047_576, maxOutputTokens: 32_768, price: price(2, 8, 0.5) },
  'gpt-4.1-mini': { ...plainGpt, contextWindow: 1_047_576, maxOutputTokens: 32_768, price: price(0.4, 1.6, 0.1) },
  'gpt-4.1-nano': { ...plainGpt, contextWindow: 1_047_576, maxOutputTokens: 32_768, price: price(0.1, 0.4, 0.025) },
  'gpt-4o': { ...plainGpt, contextWindow: 128 * thousand, maxOutputTokens: 16_384, price: price(2.5, 10, 1.25) },
  'gpt-4o-mini': {
    ...plainGpt,
    contextWindow: 128 * thousand,
    maxOutputTokens: 16_384,
    price: price(0.15, 0.6, 0.075),
  },
  o3: { ...oSeries, price: price(2, 8, 0.5) },
  'o4-mini': { ...oSeries, price: price(1.1, 4.4, 0.275) },
  'o3-mini': { ...oSeries, input: { images: [] }, price: price(1.1, 4.4, 0.55) },
});

/* Mistral */

const seeing: ModelInput = { maxImages: 8, maxImageCharacters: 13 * million };
const blind: ModelInput = { images: [] };
const mistralWindow = { contextWindow: 262_144, efforts: [] } as const;
const smallMistralWindow = { contextWindow: 131_072, efforts: [] } as const;
/** Reasons fully or not at all. */
const mayReason = { efforts: ['high'], noEffort: 'none', input: seeing } as const;
const medium35 = { ...mistralWindow, ...mayReason, price: price(1.5, 7.5, 0.15) };
const small4 = { ...mistralWindow, ...mayReason, price: price(0.15, 0.6, 0.015) };
const devstral2 = { ...mistralWindow, input: blind, price: price(0.4, 2, 0.04) };
const codestral = { ...smallMistralWindow, input: blind, price: price(0.3, 0.9, 0.03) };

const mistral = (): Models => ({
  'mistral-large-4': { ...mayReason, contextWindow: mebi, maxOutputTokens: 262_144, price: price(0.7, 2.1, 0.07) },
  'mistral-large-4-0': { ...mayReason, contextWindow: mebi, maxOutputTokens: 262_144, price: price(0.7, 2.1, 0.07) },
  'mistral-large-2512': { ...mistralWindow, input: seeing, price: price(0.5, 1.5, 0.05) },
  'mistral-medium-latest': medium35,
  'mistral-medium-3-5': medium35,
  'mistral-medium-3.5': medium35,
  'mistral-medium-2508': { ...smallMistralWindow, input: seeing, price: price(0.4, 2, 0.04) },
  'mistral-small-latest': small4,
  'mistral-small-2603': small4,
  'magistral-medium-latest': { ...smallMistralWindow, input: seeing, price: { input: 2, output: 5 } },
  'magistral-small-latest': { ...smallMistralWindow, input: seeing, price: { input: 0.5, output: 1.5 } },
  'devstral-latest': devstral2,
  'devstral-2512': devstral2,
  'codestral-latest': codestral,
  'codestral-2508': codestral,
  'ministral-14b-2512': { ...mistralWindow, input: seeing, price: price(0.2, 0.2, 0.02) },
  'ministral-8b-2512': { ...mistralWindow, input: seeing, price: price(0.15, 0.15, 0.015) },
  'ministral-3b-2512': { ...mistralWindow, input: seeing, price: price(0.1, 0.1, 0.01) },
});

/* Google */

const geminiInput: ModelInput = {
  images: ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'],
  documents: ['application/pdf'],
  audio: ['audio/wav', 'audio/mp3', 'audio/mpeg', 'audio/aiff', 'audio/aac', 'audio/ogg', 'audio/flac'],
  maxImages: 3_000,
  maxDocumentCharacters: 66 * million,
  maxDocumentPages: 1_000,
  maxRequestCharacters: 100 * million,
};
const gemini = { contextWindow: mebi, maxOutputTokens: 65_536, efforts: upToHigh, input: geminiInput } as const;
const budgetGemini = { ...gemini, efforts: [], thinking: 'budget' } as const;
/** Half price until the end of the vendor's offer. */
const gemini4Offer = { price: price(2, 10, 0.1), laterPrice: { from: '2026-12-01', price: price(4, 20, 0.2) } };
const flashOffer = {
  price: price(0.75, 3.75, 0.075),
  laterPrice: { from: '2027-01-01', price: price(1.5, 7.5, 0.15) },
};

/** Prompts above 200,000 tokens cost twice as much, their replies half as much again. */
function geminiProPrice(base: ModelPrice): ModelPrice {
  return longer(base, 200 * thousand, { input: 2, output: 1.5 });
}

const google = (): Models => ({
  'gemini-4-carbon': { ...gemini, ...gemini4Offer },
  'gemini-4-argon': { ...gemini, ...gemini4Offer },
  'gemini-4-neon': { ...gemini, efforts: upToExtraHigh, price: price(3, 15, 0.15) },
  'gemini-4-hydrogen': { ...gemini, efforts: upToExtraHigh, price: price(1.5, 7.5, 0.075) },
  'gemini-3.8-flash': { ...gemini, ...orMinimal, ...flashOffer },
  'gemini-3.7-flash': { ...gemini, ...orMinimal, ...flashOffer },
  'gemini-3.6-flash': { ...gemini, ...orMinimal, ...flashOffer },
  'gemini-3.5-flash': { ...gemini, ...orMinimal, price: price(1.5, 9, 0.15) },
  'gemini-3.5-flash-lite': { ...gemini, ...orMinimal, price: price(0.3, 2.5, 0.03) },
  'gemini-3.1-pro-preview': { ...gemini, price: geminiProPrice(price(2, 12, 0.2)) },
  'gemini-3.1-flash-lite': { ...gemini, ...orMinimal, price: price(0.25, 1.5, 0.025) },
  'gemini-3-flash-preview': { ...gemini, ...orMinimal, price: price(0.5, 3, 0.05) },
  'gemini-2.5-pro': { ...budgetGemini, price: geminiProPrice(price(1.25, 10, 0.125)) },
  'gemini-2.5-flash': { ...budgetGemini, price: price(0.3, 2.5, 0.03) },
  'gemini-2.5-flash-lite': { ...budgetGemini, price: price(0.1, 0.4, 0.01) },
});

/** By provider, then by ID without its date; made when asked for, since a process asks for one vendor. */
export const catalogVendors: Readonly<Record<string, () => Models>> = { anthropic, openai, mistral, google };

/** What is proposed of a provider whose key is set when nobody has named a model. */
export const currentModels: Readonly<Record<string, string>> = {
  anthropic: 'claude-sonnet-5-5',
  openai: 'gpt-6.2-sol',
  mistral: 'mistral-medium-latest',
  google: 'gemini-4-neon',
};

/** What the short names of the second seed mean when nobody says otherwise. */
export const defaultAliases: Readonly<Record<string, string>> = {
  default: 'sonnet',
  fable: 'anthropic/claude-fable-5-2',
  opus: 'anthropic/claude-opus-5-5',
  sonnet: 'anthropic/claude-sonnet-5-5',
  haiku: 'anthropic/claude-haiku-5-5',
};
