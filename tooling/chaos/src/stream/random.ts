import { seededRandom } from '../sample.ts';

export interface Random {
  /** A whole number from 0 to below that. */
  below(limit: number): number;
  pick<Member>(members: readonly Member[]): Member;
}

export function createRandom(seed: number): Random {
  const next = seededRandom(seed);
  const below = (limit: number): number => Math.floor(next() * Math.max(1, limit));
  return {
    below,
    pick<Member>(members: readonly Member[]): Member {
      return members[below(members.length)] as Member;
    },
  };
}
