import { readFileSync, realpathSync } from 'node:fs';

/** The Unix sockets of this machine that have a path which leads to them, as the kernel lists them for its network namespace. */
export function pathSockets(): string[] {
  const listed = readFileSync('/proc/net/unix', 'utf8').split('\n').slice(1);
  const paths = new Set<string>();
  for (const line of listed) {
    const path = /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1];
    if (path === undefined) continue;
    try {
      paths.add(realpathSync(path));
    } catch {
      // Whoever made it has removed it.
    }
  }
  return [...paths];
}
