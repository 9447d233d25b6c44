import type { ModelRequest } from '@rondo/runtime';
import { isCount } from '../dialect/json.ts';
import { postJson, type PostJsonOptions } from '../dialect/post-json.ts';
import { brokenStream } from '../http/model-failure.ts';
import { encodeRequest, type EncodeOptions } from './encode-request.ts';

export interface CountTokensOptions extends Omit<PostJsonOptions, 'encode'> {
  readonly encoding: EncodeOptions;
}

/** Asks the API how many tokens the request is, by the same bytes that would be sent for a reply. */
export async function countTokens(request: ModelRequest, options: CountTokensOptions): Promise<number> {
  const { encoding, ...rest } = options;
  const url = new URL(rest.endpoint.url);
  url.pathname += '/count_tokens';
  const endpoint = { ...rest.endpoint, url };
  const headers = { ...rest.headers, accept: 'application/json' };
  const encode = () => encodeRequest(request, { ...encoding, counts: true });
  const answer = await postJson({ ...rest, endpoint, headers, encode });
  const tokens = answer['input_tokens'];
  if (!isCount(tokens)) throw brokenStream(endpoint, 'it counts tokens and says no number');
  return tokens;
}
