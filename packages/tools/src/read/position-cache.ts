import type { TextPosition } from './text-position.ts';

/** Places found in a large file, so that its next page is not searched from the start. */
export interface PositionCache {
  /** The known place nearest to, and not after, a line and character. */
  before(line: number, character: number): TextPosition | undefined;
  /** The known place farthest into the file. */
  farthest(): TextPosition | undefined;
  add(position: TextPosition): void;
  /** Lines of the whole file, once counted. */
  totalLines?: number;
}

const mostFiles = 32;
const mostPositions = 4096;
const caches = new Map<string, PositionCache>();

/** The cache of a file in one state: `key` must change with its content. */
export function positionCache(key: string): PositionCache {
  const cache = caches.get(key) ?? createPositionCache();
  caches.delete(key);
  caches.set(key, cache);
  const [oldest] = caches.keys();
  if (caches.size > mostFiles && oldest !== undefined) caches.delete(oldest);
  return cache;
}

export function createPositionCache(): PositionCache {
  // In the order of the file.
  let positions: TextPosition[] = [];
  const lastIndex = (isBefore: (position: TextPosition) => boolean) => {
    let low = 0;
    let high = positions.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const position = positions[middle];
      if (position !== undefined && isBefore(position)) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  };
  return {
    before: (line, character) =>
      positions[
        lastIndex((position) => position.line < line || (position.line === line && position.character <= character))
      ],
    farthest: () => positions.at(-1),
    add(position) {
      const index = lastIndex(({ byte }) => byte <= position.byte);
      if (positions[index]?.byte === position.byte) return;
      positions.splice(index + 1, 0, position);
      // Every second one is enough to start from.
      if (positions.length > mostPositions) positions = positions.filter((_, at) => at % 2 === 1);
    },
  };
}
