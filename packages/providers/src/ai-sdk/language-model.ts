import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2StreamPart,
  LanguageModelV3,
  LanguageModelV3StreamPart,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { RondoError } from '@rondo/protocol/values';
import { promptV2, promptV3 } from './older-prompt.ts';

/** A language model of the Vercel AI SDK, by any version of its contract since AI SDK 5. */
export type AiSdkLanguageModel = LanguageModelV2 | LanguageModelV3 | LanguageModelV4;

export type AiSdkPart = LanguageModelV2StreamPart | LanguageModelV3StreamPart | LanguageModelV4StreamPart;

/** What a request is, in the words of the newest contract. */
export type AiSdkCall = LanguageModelV4CallOptions;

/** Throws where the value is no language model that we can speak to, so that nobody learns it from its first request. */
export function checkLanguageModel(model: AiSdkLanguageModel): void {
  const version: unknown = (model as Partial<AiSdkLanguageModel> | undefined)?.specificationVersion;
  if ((version === 'v2' || version === 'v3' || version === 'v4') && typeof model.doStream === 'function') return;
  const found =
    version === undefined ? 'no language model of the AI SDK' : `of its contract ${JSON.stringify(version)}`;
  throw new RondoError(
    'input.invalid',
    `The model is ${found}. Give what a provider of the AI SDK 5 or newer returns for a model's name, e.g. createMistral()('mistral-medium-latest').`,
  );
}

/** Sends the request and gives the stream of its reply, whatever the version of the model's contract. */
export async function openStream(
  model: AiSdkLanguageModel,
  call: LanguageModelV4CallOptions,
): Promise<ReadableStream<AiSdkPart>> {
  switch (model.specificationVersion) {
    case 'v4':
      return (await model.doStream(call)).stream;
    case 'v3': {
      const { prompt, reasoning: _, ...rest } = call;
      return (await model.doStream({ ...rest, tools: olderTools(rest.tools), prompt: promptV3(prompt) })).stream;
    }
    case 'v2': {
      const { prompt, reasoning: _, ...rest } = call;
      const options = { ...rest, tools: olderTools(rest.tools), prompt: promptV2(prompt) };
      // The types differ in whether JSON may say undefined, which ours never does.
      return (await model.doStream(options as LanguageModelV2CallOptions)).stream;
    }
  }
}

/** Older contracts know functions, which is all that we give, as the newest one does. */
function olderTools(tools: LanguageModelV4CallOptions['tools'] = []) {
  return tools.filter((tool) => tool.type === 'function');
}
