/** Shorter values would match by accident. */
const shortestSecret = 8;
const secretNames = /(_API_KEY|_AUTH_TOKEN|_ACCESS_TOKEN|_SECRET|_PASSWORD)$/;

/** Text without the values of the environment's keys and tokens, for whatever leaves the process as text. */
export function createRedactor(env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  const secrets = Object.entries(env)
    .flatMap(([name, value]) => (value !== undefined && secretNames.test(name) ? [value.trim()] : []))
    .filter((value) => value.length >= shortestSecret)
    // A key that contains another goes first, or its rest would stay.
    .sort((left, right) => right.length - left.length);
  // A log line holds values as JSON writes them.
  const forms = secrets.flatMap((secret) => [...new Set([secret, JSON.stringify(secret).slice(1, -1)])]);
  return (text) => forms.reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text);
}
