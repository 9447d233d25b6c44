import type { PolicyRule } from './policy.ts';

const redacted = '[redacted]';

/** Words that are keys by the look of their beginning. */
const keyLike =
  /\b(?:sk|pk|rk)[-_][\w-]{12,}|\bgh[opsur]_\w{16,}|\bgithub_pat_\w{16,}|\bglpat-[\w-]{12,}|\bxox[a-z]-[\w-]{10,}|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|\bAIza[\w-]{20,}|\bnpm_\w{20,}|\bhf_\w{16,}|\beyJ[\w-]{10,}\.[\w-]{6,}(?:\.[\w-]+)?/g;

/** What stands behind a name that says that it is secret. */
const named =
  /((?:key|token|secret|passw(?:or)?d|passwd|credential|auth)[\w-]*["']?\s*(?:=|:|\s)\s*["']?)(?!\*)([^\s"'&|;)]{6,})/gi;
const bearer = /\b(bearer|basic)(\s+)([\w.+/=~-]{8,})/gi;
const login = /(:\/\/)[^\s/@:]+:[^\s/@]+@/g;

/** Long words of letters and digits mixed, which are no paths and no plain words. */
const longWord = /(?<![\w./-])(?=[\w+=-]*\d)(?=[\w+=-]*[a-z])(?=[\w+=-]*[A-Z])[\w+=-]{24,}(?![\w./-])/g;

/** The text without the words in it that look like keys, passwords and tokens. */
export function withoutSecrets(text: string): string {
  return text
    .replace(login, `$1${redacted}@`)
    .replace(bearer, `$1$2${redacted}`)
    .replace(keyLike, redacted)
    .replace(named, `$1${redacted}`)
    .replace(longWord, redacted);
}

/** The rule as it is shown and logged: as it is written, without secrets. */
export function printRule(rule: Pick<PolicyRule, 'toolName' | 'content' | 'written'>): string {
  return rule.toolName === '*' ? 'every call' : withoutSecrets(rule.written ?? formatPermissionRule(rule));
}

/** The rule as it is written, with what reading it needs escaped. */
export function formatPermissionRule({ toolName, content }: Pick<PolicyRule, 'toolName' | 'content'>): string {
  return content === undefined ? toolName : `${toolName}(${content.replace(/[\\()]/g, '\\$&')})`;
}
