import { readVariable, type Environment } from '../environment.ts';

/** Files of certificates, each with the variable that names it. */
export interface CertificateFiles {
  readonly authorities: readonly { readonly variable: string; readonly path: string }[];
  /** What the client shows of itself. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  readonly passphrase?: string | undefined;
}

export const certificateVariable = 'CLAUDE_CODE_CLIENT_CERT';
export const certificateKeyVariable = 'CLAUDE_CODE_CLIENT_KEY';
const passphraseVariable = 'CLAUDE_CODE_CLIENT_KEY_PASSPHRASE';
const authorityVariables = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'] as const;

/** Undefined where the environment names none. */
export function certificateFiles(env: Environment): CertificateFiles | undefined {
  const authorities = authorityVariables.flatMap((variable) => {
    const path = readVariable(env, variable);
    return path === undefined ? [] : [{ variable, path }];
  });
  const certificate = readVariable(env, certificateVariable);
  const key = readVariable(env, certificateKeyVariable);
  if (authorities.length === 0 && certificate === undefined && key === undefined) return undefined;
  return { authorities, certificate, key, passphrase: readVariable(env, passphraseVariable) };
}
