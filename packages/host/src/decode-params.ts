import type { DecodedFrame, MethodName, MethodParams } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';

/** Params as their method takes them. @throws RondoError `protocol.params_invalid`, naming the field. */
export type DecodeParams = <Method extends MethodName>(method: Method, params: unknown) => MethodParams<Method>;

/** For a client of the same process, whose calls the compiler has checked. */
export const trustParams: DecodeParams = <Method extends MethodName>(_method: Method, params: unknown) =>
  params as MethodParams<Method>;

/** For whatever comes from outside. The schemas are loaded here, so that a process without outside clients never builds them. */
export async function loadParamsDecoder(): Promise<DecodeParams> {
  const { methods } = await import('@rondo/protocol');
  return <Method extends MethodName>(method: Method, params: unknown) => {
    const result = methods[method].params.safeParse(params);
    if (result.success) return result.data as MethodParams<Method>;
    const issue = result.error.issues[0];
    const field = issue?.path.join('.') ?? '';
    const where = field === '' ? 'params' : field;
    throw new RondoError(
      'protocol.params_invalid',
      `${method}: ${where}: ${issue?.message ?? 'not as the method takes it'}`,
      {
        details: { method, field },
      },
    );
  };
}

/** What reads text from outside: a frame of it, and a request's params. */
export interface EdgeDecoder {
  frame(text: string): DecodedFrame;
  readonly params: DecodeParams;
}

/** See {@link loadParamsDecoder}. */
export async function loadEdgeDecoder(): Promise<EdgeDecoder> {
  const [{ decodeFrame }, params] = await Promise.all([import('@rondo/protocol'), loadParamsDecoder()]);
  return { frame: decodeFrame, params };
}
