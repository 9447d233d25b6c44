const namesSecret = /auth|cookie|credential|key|passw|secret|signature|token/i;
/** Shorter values are words like `true`, which hide nothing and would be hidden everywhere. */
const shortestSecret = 8;

/** The values of headers that must not be shown, without the word that says what kind of key it is. */
export function secretHeaderValues(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const bare = value.replace(/^(Bearer|Basic|Token)\s+/i, '');
    return namesSecret.test(name) && bare.length >= shortestSecret ? [bare] : [];
  });
}
