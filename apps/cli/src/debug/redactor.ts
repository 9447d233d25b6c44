/** Shorter values would match by accident. */
const shortestSecret = 8;
const secretNames =
  /(_API_KEY|_ACCESS_KEY|_SECRET_KEY|_PRIVATE_KEY|TOKEN|_SECRET|PASSWORD)$|^AWS_BEARER_TOKEN_BEDROCK$/;

/**
 * Text without the values of the environment's keys and tokens, and the passwords of its URLs, for whatever leaves the
 * process as text. `keyVariables` names further variables that hold keys; it is asked when the first text comes.
 */
export function createRedactor(
  env: Readonly<Record<string, string | undefined>>,
  keyVariables: () => readonly string[] = () => [],
): (text: string) => string {
  let forms: readonly string[] | undefined;
  return (text) => {
    forms ??= secretForms(env, keyVariables());
    return forms.reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text);
  };
}

function secretForms(env: Readonly<Record<string, string | undefined>>, keyVariables: readonly string[]): string[] {
  const secrets = Object.entries(env)
    .flatMap(([name, value = '']) =>
      secretNames.test(name) || keyVariables.includes(name) ? [value.trim()] : passwordsInUrl(value),
    )
    .filter((value) => value.length >= shortestSecret)
    // A key that contains another goes first, or its rest would stay.
    .sort((left, right) => right.length - left.length);
  // A log line holds values as JSON writes them.
  return secrets.flatMap((secret) => [...new Set([secret, JSON.stringify(secret).slice(1, -1)])]);
}

/** What stands between the user's name and the `@` of a proxy's or gateway's address, as written and as meant. */
function passwordsInUrl(value: string): string[] {
  const password = value.includes('@') ? (URL.parse(value.trim())?.password ?? '') : '';
  if (password === '') return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
