/** Shorter values would match by accident. */
const SHORTEST_SECRET = 8;
const REPLACEMENT = '[redacted]';

/** Those of the values that are long enough to be told from words; one that holds another first, or its rest would stay. */
export function secretValues(values: readonly string[]): string[] {
  return values.filter((value) => value.length >= SHORTEST_SECRET).sort((left, right) => right.length - left.length);
}

/** The text with every secret replaced by `[redacted]`. */
export function redactText(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (clean.includes(secret)) clean = clean.replaceAll(secret, REPLACEMENT);
  return clean;
}

/** Redacts a text that comes in pieces, however a secret is cut. */
export interface TextRedactor {
  /** What can be shown once this piece has come: the beginning of a secret is kept back until it turns out to be none. */
  push(piece: string): string;
  /** What was kept back when nothing more comes. */
  end(): string;
}

const nothingSecret: TextRedactor = { push: (piece) => piece, end: () => '' };

export function createTextRedactor(secrets: readonly string[]): TextRedactor {
  if (secrets.length === 0) return nothingSecret;
  let kept = '';
  return {
    push(piece) {
      const text = redactText(kept + piece, secrets);
      const from = beginningOfSecret(text, secrets);
      kept = text.slice(from);
      return text.slice(0, from);
    },
    end() {
      const rest = kept;
      kept = '';
      return rest;
    },
  };
}

/** From where on the text may be the beginning of a secret; its length where it cannot. */
function beginningOfSecret(text: string, secrets: readonly string[]): number {
  let earliest = text.length;
  for (const secret of secrets) {
    const first = secret.charAt(0);
    let at = text.indexOf(first, Math.max(0, text.length - secret.length + 1));
    while (at !== -1 && at < earliest) {
      if (secret.startsWith(text.slice(at))) earliest = at;
      else at = text.indexOf(first, at + 1);
    }
  }
  return earliest;
}
