import type { Plugin } from 'rolldown';

/**
 * Writes every character beyond ASCII as its escape. One `…` in a file makes Node decode, hash and keep all of it as
 * text of two bytes a character: a quarter of what it takes to load the chunk of a turn.
 */
export function asciiOnly(): Plugin {
  return {
    name: 'ascii-only',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk') file.code = escapeBeyondAscii(file.code, file.fileName);
      }
    },
  };
}

/**
 * The same program in ASCII alone.
 * @throws where an escape would mean something else: behind a backslash, and in a template that reads its own source.
 */
export function escapeBeyondAscii(code: string, fileName: string): string {
  const beyond = /[^\x00-\x7f]/g;
  const unsafe = /(?<!\\)(?:\\\\)*\\[^\x00-\x7f]|\braw`[^`]*[^\x00-\x7f]/.exec(code);
  if (unsafe !== null) {
    throw new Error(`${fileName} has ${JSON.stringify(unsafe[0].slice(-40))}, which cannot be written in ASCII`);
  }
  return code.replace(beyond, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
