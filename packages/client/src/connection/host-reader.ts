import type {
  ClientMethodParams,
  MethodName,
  MethodResult,
  NotificationName,
  NotificationParams,
} from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';

/** Reads what a host sends. @throws RondoError `protocol.frame_invalid`, naming the field. */
export interface HostReader {
  result<Method extends MethodName>(method: Method, value: unknown): MethodResult<Method>;
  notification<Name extends NotificationName>(name: Name, value: unknown): NotificationParams<Name>;
  /** What a host asks a hook. */
  call(value: unknown): ClientMethodParams<'capability/call'>;
}

/** For a host of the same process, whose answers the compiler has checked. */
export const trustHost: HostReader = {
  result: <Method extends MethodName>(_method: Method, value: unknown) => value as MethodResult<Method>,
  notification: <Name extends NotificationName>(_name: Name, value: unknown) => value as NotificationParams<Name>,
  call: (value) => value as ClientMethodParams<'capability/call'>,
};

/**
 * For a host at the other end of a wire, which may be newer: what this version does not know comes out as the `unknown`
 * members. The schemas are loaded here, so that a process that talks to itself never builds them.
 */
export async function loadHostReader(): Promise<HostReader> {
  const { clientMethods, methods, notifications } = await import('@rondo/protocol');
  return {
    result: <Method extends MethodName>(method: Method, value: unknown) =>
      read(methods[method].result, value, method) as MethodResult<Method>,
    notification: <Name extends NotificationName>(name: Name, value: unknown) =>
      read(notifications[name], value, name) as NotificationParams<Name>,
    call: (value) =>
      read(clientMethods['capability/call'].params, value, 'capability/call') as ClientMethodParams<'capability/call'>,
  };
}

interface Schema {
  safeParse(value: unknown):
    | { readonly success: true; readonly data: unknown }
    | {
        readonly success: false;
        readonly error: { readonly issues: readonly { path: PropertyKey[]; message: string }[] };
      };
}

function read(schema: Schema, value: unknown, what: string): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const field = issue?.path.join('.') ?? '';
  throw new RondoError(
    'protocol.frame_invalid',
    `the host's ${what} does not read: ${field}: ${issue?.message ?? ''}`,
    {
      details: { method: what, field },
    },
  );
}
