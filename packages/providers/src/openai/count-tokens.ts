import type { ModelRequest } from '@rondo/runtime';
import { isCount } from '../dialect/json.ts';
import { postJson, type PostJsonOptions } from '../dialect/post-json.ts';
import { brokenStream } from '../http/model-failure.ts';
import { encodeCount, type EncodeOptions } from './encode-request.ts';

export interface CountTokensOptions extends Omit<PostJsonOptions, 'encode'> {
  readonly encoding: EncodeOptions;
}

/** Asks the API how many tokens the request is. */
export async function countTokens(
  request: ModelRequest,
  { encoding, ...options }: CountTokensOptions,
): Promise<number> {
  const url = new URL(options.endpoint.url);
  url.pathname += '/input_tokens';
  const endpoint = { ...options.endpoint, url };
  const headers = { ...options.headers, accept: 'application/json' };
  const answer = await postJson({ ...options, endpoint, headers, encode: () => encodeCount(request, encoding) });
  const tokens = answer['input_tokens'];
  if (!isCount(tokens)) throw brokenStream(endpoint, 'it counts tokens and says no number');
  return tokens;
}
