export interface Program {
  imports: readonly string[];
  text: string;
}

/** The blocks of the README that are marked "ts program": whole programs, which run offline as they stand. */
export function readmePrograms(readme: string): Program[] {
  return [...readme.matchAll(/^```ts program\n(.*?)^```$/gms)].map(([, text = '']) => ({
    text,
    imports: [...text.matchAll(/from '(@rondo\/[^/']+)/g)].map(([, name = '']) => name),
  }));
}

/** The first program that imports each of the packages. */
export function programOn(programs: readonly Program[], names: readonly string[]): Program {
  const found = programs.find(({ imports }) => names.every((name) => imports.includes(name)));
  if (!found) throw new Error(`README.md has no block marked "ts program" that imports ${names.join(' and ')}`);
  return found;
}
