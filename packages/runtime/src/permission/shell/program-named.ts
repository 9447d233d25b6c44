import type { Program } from './command-effect.ts';

const programs = new Map<string, Program>();

/** What a program of this name is known to do. */
export function programNamed(name: string): Program | undefined {
  return programs.get(name);
}
