import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { JsonObject } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { Model, ModelInput, ModelRequest, ToolSpecification } from '@rondo/runtime';
import type { PostTimeouts } from '../http/post.ts';
import { hideSecrets } from '../http/model-failure.ts';
import { outputName, placeOutput } from '../dialect/place-output.ts';
import { aiSdkError, type AiSdkEndpoint, type ErrorReading } from './ai-sdk-error.ts';
import { createPromptEncoder } from './encode-prompt.ts';
import type { PromptStyle } from './prompt-style.ts';
import { openStream, type AiSdkCall, type AiSdkLanguageModel } from './language-model.ts';
import { openReply } from './open-reply.ts';
import { createPartReader, type PartReaderOptions } from './part-reader.ts';

/** In what a provider differs from others, whoever made its model. */
export interface ProviderStyle
  extends Pick<PromptStyle, 'resultFiles' | 'afterResults' | 'callId'>,
    Pick<PartReaderOptions, 'isBroken'> {
  readonly errors: ErrorReading;
  /** What of JSON Schema the provider takes in a tool's input. */
  readonly inputSchema?: (schema: JsonObject) => JsonObject;
  /** Whether the provider holds the model's answer to a schema: never, `always`, or `alone`, with no tools beside it. */
  readonly outputFormat?: 'always' | 'alone';
}

export interface AiSdkAdapter extends Pick<Model, 'name' | 'limits' | 'price' | 'input'>, ProviderStyle {
  readonly endpoint: AiSdkEndpoint;
  readonly timeouts: PostTimeouts;
  /** Loads the model's package with its first request. */
  readonly load: () => Promise<AiSdkLanguageModel>;
  /** What a request asks for beside its conversation: how to reason, options of the provider. */
  readonly callOptions: (request: ModelRequest, model: AiSdkLanguageModel) => Partial<AiSdkCall>;
  /** Told of each setting that the provider package would not send. */
  readonly onWarning?: ((warning: string) => void) | undefined;
}

/** Our model of one of the AI SDK. It makes one attempt: the retries of the SDK are in a layer above what is used here. */
export function createAiSdkModel(adapter: AiSdkAdapter): Model {
  const { name, limits, price, input, endpoint, errors } = adapter;
  const provider = name.slice(0, Math.max(0, name.indexOf('/'))) || name;
  const encodePrompt = createPromptEncoder({
    model: name,
    takes: (mediaType) => takesFile(input ?? {}, mediaType),
    resultFiles: adapter.resultFiles,
    ...(adapter.afterResults !== undefined && { afterResults: adapter.afterResults }),
    ...(adapter.callId && { callId: adapter.callId }),
  });
  const encodeTool = createToolEncoder(adapter.inputSchema);
  let loading: Promise<AiSdkLanguageModel> | undefined;

  function encode(request: ModelRequest, model: AiSdkLanguageModel, abortSignal: AbortSignal): AiSdkCall {
    const { maxOutputTokens, temperature, tools } = request;
    const takesFormat = adapter.outputFormat === 'always' || (adapter.outputFormat === 'alone' && tools.length === 0);
    const { system, format } = placeOutput(request, () => takesFormat);
    return {
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(temperature !== undefined && { temperature }),
      ...adapter.callOptions(request, model),
      ...(format && { responseFormat: { type: 'json', name: outputName, schema: format.schema } }),
      prompt: encodePrompt({ ...request, system }),
      ...(tools.length > 0 && { tools: tools.map(encodeTool), toolChoice: { type: 'auto' } }),
      abortSignal,
      includeRawChunks: false,
    };
  }

  const broken = (reason: string): RondoError =>
    new RondoError(
      'model.stream_broken',
      hideSecrets(`The reply of ${endpoint.vendor} is broken: ${reason}.`, endpoint.secrets),
    );

  return {
    name,
    ...(limits && { limits }),
    ...(price && { price }),
    ...(input && { input }),
    keySource: endpoint.keySource,
    secrets: endpoint.secrets,
    stream: (request, { signal }) =>
      openReply({
        async open(abortSignal) {
          const model = await (loading ??= adapter.load());
          return openStream(model, encode(request, model, abortSignal));
        },
        createReader: (emit) =>
          createPartReader({
            emit,
            provider,
            broken,
            failed: (error) => aiSdkError(error, { endpoint, errors, phase: 'stream' }),
            ...(adapter.isBroken && { isBroken: adapter.isBroken }),
            ...(adapter.onWarning && { onWarning: adapter.onWarning }),
          }),
        signal,
        timeouts: adapter.timeouts,
        vendor: endpoint.vendor,
        asError: (thrown, phase) => aiSdkError(thrown, { endpoint, errors, phase }),
        broken,
      }),
  };
}

const usualImages: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

function takesFile({ images = usualImages, documents = [], audio = [] }: ModelInput, mediaType: string): boolean {
  return [...images, ...documents, ...audio].includes(mediaType);
}

/** The same tool is encoded once in its life. */
function createToolEncoder(
  reduce: (schema: JsonObject) => JsonObject = (schema) => schema,
): (tool: ToolSpecification) => LanguageModelV4FunctionTool {
  const encoded = new WeakMap<ToolSpecification, LanguageModelV4FunctionTool>();
  return (tool) => {
    let known = encoded.get(tool);
    if (known === undefined) {
      const { name, description, inputSchema } = tool;
      known = { type: 'function', name, description, inputSchema: reduce(inputSchema) };
      encoded.set(tool, known);
    }
    return known;
  };
}
