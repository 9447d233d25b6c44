import type { MethodParams, MethodResult } from '@rondo/protocol';
import { PROTOCOL_VERSION, RondoError } from '@rondo/protocol/values';

/** @throws RondoError `protocol.version_unsupported` when the other end speaks another version of the wire. */
export function initialize(
  { protocolVersion }: MethodParams<'host/initialize'>,
  { name }: { readonly name: string },
): MethodResult<'host/initialize'> {
  if (protocolVersion !== PROTOCOL_VERSION) {
    throw new RondoError(
      'protocol.version_unsupported',
      `this host speaks version ${PROTOCOL_VERSION} of the protocol, not ${protocolVersion}; install versions of client and host that go together`,
      { details: { requested: protocolVersion, supported: [PROTOCOL_VERSION] } },
    );
  }
  return { protocolVersion: PROTOCOL_VERSION, host: name };
}
