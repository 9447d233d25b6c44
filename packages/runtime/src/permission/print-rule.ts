import type { PolicyRule } from './policy.ts';

const redacted = '[redacted]';

/** Words that are keys by the look of their beginning. */
const keyLike =
  /\b(?:sk|pk|rk)[-_][\w-]{12,}|\bgh[opsur]_\w{16,}|\bgithub_pat_\w{16,}|\bglpat-[\w-]{12,}|\bxox[a-z]-[\w-]{10,}|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|\bAIza[\w-]{20,}|\bnpm_\w{20,}|\bhf_\w{16,}|\beyJ[\w-]{10,}(?:\.[\w-]+)*/g;

/** What stands behind a name that says that it is secret. */
const named =
  /((?:key|token|secret|passw(?:or)?d|passwd|credential|auth)[\w-]{0,64}["']?(?:\s*[=:]\s*|\s+)["']?)(?!\*)([^\s"'&|;)]{6,})/gi;
const bearer = /\b(bearer|basic)(\s+)([\w.+/=~-]{8,})/gi;
const login = /(:\/\/)[^\s/@:]+:[^\s/@]+@/g;

/** Long words, and in them what stands between dots and slashes. */
const longText = /[\w+=./-]{24,}/g;
const parts = /[./]|[^./]+/g;

/** The text without the words in it that look like keys, passwords and tokens. */
export function withoutSecrets(text: string): string {
  return text
    .replace(login, `$1${redacted}@`)
    .replace(bearer, `$1$2${redacted}`)
    .replace(keyLike, redacted)
    .replace(named, `$1${redacted}`)
    .replace(longText, (text) => text.replace(parts, withoutLongWord));
}

/** Letters and digits mixed, which are no path and no plain word; beside a dot or a slash only behind a sign, or before one. */
function withoutLongWord(part: string, at: number, text: string): string {
  const first = at === 0 ? 0 : part.search(/[+=]/) + 1;
  const last = at + part.length === text.length ? part.length : Math.max(part.lastIndexOf('+'), part.lastIndexOf('='));
  if (at > 0 && first === 0) return part;
  const word = part.slice(first, last);
  const isKey = word.length >= 24 && /\d/.test(word) && /[a-z]/.test(word) && /[A-Z]/.test(word);
  return isKey ? part.slice(0, first) + redacted + part.slice(last) : part;
}

/** The rule as it is shown and logged: as it is written, without secrets. */
export function printRule(rule: Pick<PolicyRule, 'toolName' | 'content' | 'written'>): string {
  return rule.toolName === '*' ? 'every call' : withoutSecrets(rule.written ?? formatPermissionRule(rule));
}

/** The rule as it is written, with what reading it needs escaped. */
export function formatPermissionRule({ toolName, content }: Pick<PolicyRule, 'toolName' | 'content'>): string {
  return content === undefined ? toolName : `${toolName}(${content.replace(/[\\()]/g, '\\$&')})`;
}
