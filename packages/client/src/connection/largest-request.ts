/** The one that a host means when it refuses a frame over its size. */
export function largestRequest<Key>(
  requests: Iterable<readonly [Key, { readonly params: unknown }]>,
): readonly [Key, { readonly params: unknown }] | undefined {
  let found: readonly [Key, { readonly params: unknown }] | undefined;
  let most = -1;
  for (const request of requests) {
    const size = JSON.stringify(request[1].params ?? null).length;
    if (size <= most) continue;
    found = request;
    most = size;
  }
  return found;
}
