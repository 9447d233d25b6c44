import type { Model, ModelInput, ModelLimits, ModelPrice, ModelRequest } from '@rondo/runtime';
import { limitsOf } from '../apply-facts.ts';
import { catalogModel } from '../catalog/model-catalog.ts';
import { postTimeouts, type ModelTimeouts } from '../dialect/timeouts.ts';
import { commonErrors } from './ai-sdk-error.ts';
import { createAiSdkModel } from './create-ai-sdk-model.ts';
import { checkLanguageModel, type AiSdkCall, type AiSdkLanguageModel } from './language-model.ts';
import { providerStyle } from './provider-style.ts';
import { reasoningCall } from './reasoning-options.ts';

export interface FromAiSdkOptions {
  /** `provider/model` by what the model says of itself when not given. */
  readonly name?: string;
  /** In place of what the catalog knows, as are price and input. */
  readonly limits?: ModelLimits;
  readonly price?: ModelPrice;
  /** What it takes beside text. PNG, JPEG, GIF and WebP images when not given. */
  readonly input?: ModelInput;
  /** Where its key comes from, for messages to people, e.g. `GROQ_API_KEY`. */
  readonly keySource?: string;
  /** Values that must stand in no message, most of all the key. */
  readonly secrets?: readonly string[];
  /** Five minutes without a part of the reply when not given: a provider may swallow what keeps a connection alive. */
  readonly timeouts?: ModelTimeouts;
  /** Where files of a tool's result go: `inline` with it, or in a message of the user's `after` it. */
  readonly resultFiles?: 'inline' | 'after';
  /** What a request asks for besides, in the words of the AI SDK, e.g. `temperature` or `providerOptions`. */
  readonly callOptions?: (request: ModelRequest) => Partial<Omit<AiSdkCall, 'prompt' | 'tools' | 'abortSignal'>>;
  /** Told of each setting that the provider package would not send. */
  readonly onWarning?: (warning: string) => void;
}

const silenceMs = 300_000;

/**
 * Any language model of the Vercel AI SDK (5 or newer) as a model of ours. What its provider adds to a reply goes back
 * to it with the reply; connections, proxies and keys are its package's own, and retries are the turn's.
 */
export function fromAiSdk(languageModel: AiSdkLanguageModel, options: FromAiSdkOptions = {}): Model {
  checkLanguageModel(languageModel);
  const provider = languageModel.provider.split('.', 1)[0] ?? languageModel.provider;
  const { name = `${provider}/${languageModel.modelId}`, callOptions, ...facts } = options;
  const known = catalogModel(provider, languageModel.modelId) ?? {};
  const { price = known.price, onWarning } = facts;
  const limits = { ...limitsOf(known), ...facts.limits };
  const input = facts.input ?? known.input;
  const style = providerStyle(provider, languageModel.modelId);
  const version = languageModel.specificationVersion;
  const keySource = facts.keySource ?? 'the settings of its provider';
  return createAiSdkModel({
    name,
    limits,
    ...(price && { price }),
    ...(input && { input }),
    endpoint: {
      vendor: provider,
      keySource,
      baseUrlSource: 'the base URL of its provider',
      secrets: facts.secrets ?? [],
    },
    errors: commonErrors,
    ...style,
    timeouts: postTimeouts({ idleMs: silenceMs, firstByteMs: silenceMs, ...facts.timeouts }),
    load: () => Promise.resolve(languageModel),
    resultFiles: facts.resultFiles ?? style.resultFiles ?? 'after',
    callOptions: (request) => merged(reasoningCall(request, { provider, version }), callOptions?.(request) ?? {}),
    onWarning,
  });
}

/** Both at once; where both have options of one provider, those of `more` come on top. */
function merged(call: Partial<AiSdkCall>, more: Partial<AiSdkCall>): Partial<AiSdkCall> {
  const providerOptions = { ...call.providerOptions };
  for (const [provider, options] of Object.entries(more.providerOptions ?? {})) {
    providerOptions[provider] = { ...providerOptions[provider], ...options };
  }
  return { ...call, ...more, ...(Object.keys(providerOptions).length > 0 && { providerOptions }) };
}
