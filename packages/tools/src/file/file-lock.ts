const tails = new Map<string, Promise<unknown>>();

/** Runs one action after the other for each path of this process; a failed one does not hold up the next. */
export async function withFileLock<Value>(path: string, action: () => Promise<Value>): Promise<Value> {
  const turn = (tails.get(path) ?? Promise.resolve()).then(action, action);
  tails.set(path, turn);
  try {
    return await turn;
  } finally {
    if (tails.get(path) === turn) tails.delete(path);
  }
}
