/**
 * Keeps back half a character: a delta may end between the two halves of a surrogate pair, and each half alone would
 * reach a screen as a replacement character. The halves meet in the next delta.
 */
export function wholeCharacters(): (piece: string) => string {
  let half = '';
  return (piece) => {
    const text = half === '' ? piece : half + piece;
    const last = text.charCodeAt(text.length - 1);
    if (last < 0xd800 || last > 0xdbff || Number.isNaN(last)) {
      half = '';
      return text;
    }
    half = text.slice(-1);
    return text.slice(0, -1);
  };
}
