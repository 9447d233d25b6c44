/** A behaviour that a row asks for, switched off in one piece of source. */
export interface Mutation {
  readonly row: string;
  /** The source that it changes, from the root of the repository. */
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly piece: string;
  readonly becomes: string;
  /** The test file that must notice. */
  readonly test: string;
}

/** @throws Error when the piece does not stand exactly once in the text. */
export function mutate(text: string, { row, file, piece, becomes }: Omit<Mutation, 'test'>): string {
  const parts = text.split(piece);
  if (parts.length !== 2) {
    throw new Error(
      `${file}: ${JSON.stringify(piece)} stands there ${parts.length - 1} times; ` +
        `take for the mutation of ${row} in tooling/requirements/manifest.json a piece that stands there once`,
    );
  }
  return parts.join(becomes);
}

/** A few of them: the same few for the same seed. */
export function sampleOf(mutations: readonly Mutation[], count: number, seed: number): readonly Mutation[] {
  const places = mutations.map((mutation) => ({ mutation, place: placeOf(`${seed} ${mutation.row}`) }));
  return places
    .sort((left, right) => left.place - right.place)
    .slice(0, count)
    .map(({ mutation }) => mutation);
}

/** The FNV-1a hash of a text. */
function placeOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash;
}
