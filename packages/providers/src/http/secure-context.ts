import { readFileSync } from 'node:fs';
import { createSecureContext, getCACertificates, rootCertificates, type SecureContext } from 'node:tls';
import { RondoError } from '@rondo/protocol/values';
import { certificateKeyVariable, certificateVariable, type CertificateFiles } from './certificate-files.ts';

/**
 * What connections are secured with: the authorities that Node trusts and those of the files, and the client's own
 * certificate. Made once for all connections, since reading hundreds of certificates takes as long as a handshake.
 * @throws RondoError `input.invalid` naming the variable whose file cannot be read.
 */
export function readSecureContext({ authorities, certificate, key, passphrase }: CertificateFiles): SecureContext {
  const extra = authorities.map(({ variable, path }) => readAuthorities(variable, path));
  const cert = certificate === undefined ? undefined : readFile(certificateVariable, certificate);
  const privateKey = key === undefined ? undefined : readFile(certificateKeyVariable, key);
  try {
    return createSecureContext({
      ...(extra.length > 0 && { ca: [...trustedByNode(), ...extra] }),
      // A file may hold both.
      ...(cert !== undefined && { cert, key: privateKey ?? cert }),
      ...(passphrase !== undefined && { passphrase }),
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unreadable';
    const variables = `${certificateVariable} and ${certificateKeyVariable}`;
    throw new RondoError('input.invalid', `The client certificate of ${variables} cannot be used: ${reason}.`, {
      cause,
    });
  }
}

/** Node without `getCACertificates` is older than 22.15. */
function trustedByNode(): readonly string[] {
  return typeof getCACertificates === 'function' ? getCACertificates('default') : rootCertificates;
}

function readAuthorities(variable: string, path: string): string {
  const pem = readFile(variable, path);
  try {
    createSecureContext({ ca: pem });
    if (pem.includes('-----BEGIN ')) return pem;
  } catch {
    // Said below.
  }
  throw new RondoError('input.invalid', `${variable} names ${path}, which holds no certificates in PEM form.`, {
    details: { variable, path },
  });
}

function readFile(variable: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable';
    throw new RondoError('input.invalid', `${variable} names ${path}, which cannot be read: ${code}.`, {
      details: { variable, path },
      cause,
    });
  }
}
