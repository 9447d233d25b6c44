/** Looks for what does not belong, since matching megabytes of what does would fill the expression's stack. */
export function isBase64(data: string): boolean {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return data.length % 4 === 0 && data.length > padding && !/[^A-Za-z0-9+/]/.test(data.slice(0, data.length - padding));
}

/** The first bytes of a base64 text; at most 3 for each 4 characters asked for. */
export function firstBytes(base64: string, characters: number): Uint8Array {
  return Uint8Array.from(atob(base64.slice(0, characters - (characters % 4))), (character) => character.charCodeAt(0));
}
