export interface PdfFacts {
  /** Undefined where the file does not say it in a way that can be read cheaply. */
  readonly pages: number | undefined;
  /** Providers refuse it without its password. */
  readonly encrypted: boolean;
}

/** Bounds for files made to keep their reader busy. */
const MOST_STREAMS = 2_000;
const MOST_INFLATED = 16 * 1024 * 1024;
const LONGEST_DICTIONARY = 200_000;
const MOST_LOOKED_AT = 10_000_000;

/** What may still be spent on one file. */
interface Effort {
  characters: number;
  inflated: number;
}

/** What a PDF says of itself; undefined when the bytes are none. Nothing is interpreted that could run or recurse. */
export async function pdfFacts(bytes: Uint8Array): Promise<PdfFacts | undefined> {
  // One character a byte, so that places in the text are places in the file.
  const text = new TextDecoder('latin1').decode(bytes);
  if (!text.slice(0, 1024).includes('%PDF-')) return undefined;
  const encrypted = /\/Encrypt\s*(?:\d+\s+\d+\s+R|<<)/.test(text);
  const effort = { characters: MOST_LOOKED_AT, inflated: MOST_INFLATED };
  const pages =
    pagesSaid(text, effort) ??
    linearizedPages(text, effort) ??
    (await compressedPages(text, bytes, effort)) ??
    pageObjects(text);
  return { pages, encrypted };
}

/** The largest count of a node of the page tree, which is its root's. */
function pagesSaid(text: string, effort: Effort): number | undefined {
  let most: number | undefined;
  for (const match of text.matchAll(/\/Type\s*\/Pages\b/g)) {
    const count = /\/Count\s+(\d{1,9})(?!\d|\s+\d+\s+R)/.exec(dictionaryAround(text, match.index, effort))?.[1];
    if (count !== undefined) most = Math.max(most ?? 0, Number(count));
  }
  return most;
}

function pageObjects(text: string): number | undefined {
  let pages = 0;
  for (const _ of text.matchAll(/\/Type\s*\/Page\b/g)) pages += 1;
  return pages === 0 ? undefined : pages;
}

function linearizedPages(text: string, effort: Effort): number | undefined {
  const head = text.slice(0, 2048);
  const at = head.indexOf('/Linearized');
  const count = at < 0 ? undefined : /\/N\s+(\d{1,9})\b/.exec(dictionaryAround(head, at, effort))?.[1];
  return count === undefined ? undefined : Number(count);
}

/** Newer files keep their page tree in compressed streams of objects. */
async function compressedPages(text: string, bytes: Uint8Array, effort: Effort): Promise<number | undefined> {
  let most: number | undefined;
  let streams = 0;
  for (const match of text.matchAll(/\/Type\s*\/ObjStm\b/g)) {
    streams += 1;
    if (streams > MOST_STREAMS || effort.inflated <= 0) break;
    const dictionary = dictionaryAround(text, match.index, effort);
    const begin = /\bstream\r?\n/g;
    begin.lastIndex = match.index;
    if (begin.exec(text) === null || !dictionary.includes('/FlateDecode')) continue;
    const said = /\/Length\s+(\d{1,9})(?!\d|\s+\d+\s+R)/.exec(dictionary)?.[1];
    const found = text.indexOf('endstream', begin.lastIndex);
    const end = said === undefined ? found : begin.lastIndex + Number(said);
    if (end < begin.lastIndex) continue;
    const objects = await inflate(bytes.subarray(begin.lastIndex, end), effort.inflated);
    effort.inflated -= objects.length;
    const pages = pagesSaid(objects, effort);
    if (pages !== undefined) most = Math.max(most ?? 0, pages);
  }
  return most;
}

/** As much of it as can be read, as text. */
async function inflate(bytes: Uint8Array, most: number): Promise<string> {
  const decoder = new TextDecoder('latin1');
  let text = '';
  const source = new ReadableStream<BufferSource>({
    start(controller) {
      controller.enqueue(bytes.slice());
      controller.close();
    },
  });
  const reader = source.pipeThrough(new DecompressionStream('deflate')).getReader();
  try {
    for (let piece = await reader.read(); !piece.done && text.length < most; piece = await reader.read())
      text += decoder.decode(piece.value);
  } catch {
    // What came before it broke may still say the number.
  } finally {
    await reader.cancel().catch(() => {});
  }
  return text;
}

/** The innermost dictionary that holds the place, or as much of it as is near. */
function dictionaryAround(text: string, place: number, effort: Effort): string {
  const reach = Math.max(0, Math.min(LONGEST_DICTIONARY, effort.characters / 2));
  const from = Math.max(0, place - reach);
  let start = place;
  for (let depth = 0; start > from; start -= 1) {
    if (text[start] !== '<' || text[start - 1] !== '<') {
      if (text[start] === '>' && text[start - 1] === '>') {
        depth += 1;
        start -= 1;
      }
      continue;
    }
    if (depth === 0) break;
    depth -= 1;
    start -= 1;
  }
  const to = Math.min(text.length, place + reach);
  let end = place;
  for (let depth = 0; end < to; end += 1) {
    if (text[end] === '<' && text[end + 1] === '<') {
      depth += 1;
      end += 1;
    } else if (text[end] === '>' && text[end + 1] === '>') {
      if (depth === 0) break;
      depth -= 1;
      end += 1;
    }
  }
  effort.characters -= end - start;
  return text.slice(start, end);
}
