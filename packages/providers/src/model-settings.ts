import type { ModelInput, ModelLimits, ModelPrice } from '@rondo/runtime';

/** What is known of a model, in place of what the catalog says; a field that is absent stays as the catalog has it. */
export interface ModelFacts extends ModelLimits {
  readonly price?: ModelPrice;
  readonly input?: ModelInput;
}

/** A server that speaks OpenAI's chat completions. */
export interface ServerSettings {
  /** Ends in `/v1` with most servers; `/chat/completions` is added to it. */
  readonly baseUrl: string;
  /** Which server it is, for its quirks; found by the base URL when not given. */
  readonly kind?: string;
  /** The environment variable that holds its key. No key is sent when not given. */
  readonly apiKeyVariable?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a person configures about models: the key `models` of user settings, and the option of that name. */
export interface ModelSettings {
  /** Takes the names that say nothing about their provider: a provider, or `openai-compatible/NAME`. */
  readonly defaultProvider?: string;
  /** Short names and what they mean. They come before the default ones, which stay for the rest. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Servers by the name that stands in `openai-compatible/NAME/MODEL`. */
  readonly servers?: Readonly<Record<string, ServerSettings>>;
  /** By resolved name, `provider/model`. */
  readonly facts?: Readonly<Record<string, ModelFacts>>;
}
