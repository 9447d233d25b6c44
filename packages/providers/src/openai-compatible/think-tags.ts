/** A piece of what the model wrote, told apart. */
export interface ToldPiece {
  readonly kind: 'text' | 'reasoning';
  readonly text: string;
}

export interface ThinkTags {
  /** True once the rest is text whatever it says. */
  readonly done: boolean;
  read(text: string): readonly ToldPiece[];
  /** What was held back because it could have become a tag. */
  end(): readonly ToldPiece[];
}

const open = '<think>';
const close = '</think>';

/**
 * Tells reasoning in `<think>` tags from the answer behind it. Only at the very beginning of a reply: anywhere else the
 * tag is something that the model writes about.
 */
export function createThinkTags(): ThinkTags {
  let state: 'before' | 'inside' | 'behind' | 'done' = 'before';
  let held = '';

  function read(text: string): readonly ToldPiece[] {
    if (state === 'done') return [{ kind: 'text', text }];
    held += text;
    const pieces: ToldPiece[] = [];
    if (state === 'before') {
      const start = held.trimStart();
      if (open.startsWith(start)) return pieces;
      if (!start.startsWith(open)) return finish(pieces, held);
      state = 'inside';
      held = start.slice(open.length).trimStart();
    }
    if (state === 'inside') {
      const at = held.indexOf(close);
      const safe = at === -1 ? held.length - beginningOf(close, held) : at;
      if (safe > 0) pieces.push({ kind: 'reasoning', text: held.slice(0, safe) });
      held = held.slice(safe);
      if (at === -1) return pieces;
      held = held.slice(close.length);
      state = 'behind';
    }
    held = held.trimStart();
    return held === '' ? pieces : finish(pieces, held);
  }

  function finish(pieces: ToldPiece[], text: string): readonly ToldPiece[] {
    state = 'done';
    held = '';
    pieces.push({ kind: 'text', text });
    return pieces;
  }

  return {
    get done() {
      return state === 'done';
    },
    read,
    end() {
      const text = held;
      held = '';
      const kind = state === 'inside' ? 'reasoning' : 'text';
      state = 'done';
      return text === '' ? [] : [{ kind, text }];
    },
  };
}

/** How many characters at the end of the text may be the beginning of the tag. */
function beginningOf(tag: string, text: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}
