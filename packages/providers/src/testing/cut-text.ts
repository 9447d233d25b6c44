const defaultPieceLength = 24;

/** The text in pieces as a model streams them, cut between characters, never inside one. None for an empty text. */
export function cutText(content: string, length = defaultPieceLength): string[] {
  const pieces: string[] = [];
  let piece = '';
  let count = 0;
  for (const character of content) {
    piece += character;
    count += 1;
    if (count < length) continue;
    pieces.push(piece);
    piece = '';
    count = 0;
  }
  return piece === '' ? pieces : [...pieces, piece];
}
