/** The value below which `share` of the values lie, interpolated. @throws RangeError without values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) throw new RangeError('A quantile needs at least one value.');
  return below + (above - below) * (place - Math.floor(place));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Two things measured one right after the other. */
export interface Pair {
  readonly floor: number;
  readonly ours: number;
}

export interface Comparison {
  readonly floor: number;
  readonly ours: number;
  /**
   * The median of the pairs' ratios, not the ratio of the medians: both halves of a pair met the same minute of the
   * machine, so what slows the machine down falls out.
   */
  readonly ratio: number;
  /** The middle half of the ratios. */
  readonly spread: readonly [number, number];
}

export function comparePairs(pairs: readonly Pair[]): Comparison {
  const ratios = pairs.map(({ floor, ours }) => ours / floor);
  return {
    floor: median(pairs.map(({ floor }) => floor)),
    ours: median(pairs.map(({ ours }) => ours)),
    ratio: median(ratios),
    spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
  };
}
