/** What a host owes the sender of a text, by JSON-RPC alone. */
export type ExpectedReply =
  | { readonly count: 0 }
  /** The message's own where that is one, else null. A reply has null as well while another message has the ID. */
  | { readonly count: 1; readonly id: string | number | null };

/** Written apart from the host's own reading, so that the two may disagree. */
export function expectedReply(text: string): ExpectedReply {
  const message = parse(text);
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return { count: 1, id: null };
  const fields = message as Record<string, unknown>;
  const id = isId(fields.id) ? fields.id : null;
  const owed = { count: 1, id: typeof fields.id === 'number' && !Number.isFinite(fields.id) ? null : id } as const;
  if (fields.jsonrpc !== '2.0' || !isJson(message)) return owed;
  if ('method' in fields) return typeof fields.method === 'string' && !('id' in fields) ? { count: 0 } : owed;
  if ('result' in fields) return !('error' in fields) && isId(fields.id) ? { count: 0 } : owed;
  return 'error' in fields && isError(fields.error) && (isId(fields.id) || fields.id === null) ? { count: 0 } : owed;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `1e999` is read as a number that JSON does not have. */
function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isJson);
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}

function isError(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { code, message } = value as Record<string, unknown>;
  return Number.isSafeInteger(code) && typeof message === 'string';
}
