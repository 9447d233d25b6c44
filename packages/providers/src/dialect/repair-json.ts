/** JSON text made of text that is not, and the names of what was mended in it. */
export interface RepairedJson {
  readonly json: string;
  readonly mended: readonly string[];
}

const fence = '```';
const fenceStart = /^```[\w-]*[ \t]*\r?\n?/;

/**
 * Mends what has one reading only: white space and a byte order mark around the value, a code fence around it, raw
 * control characters inside strings, a comma before a closing bracket, the same value sent again. Nothing is ever added
 * that the text does not hold, no quote, bracket or value: text that was cut off stays cut off. Undefined where that is
 * not enough to make JSON, or makes an object whose keys repeat.
 */
export function repairJson(text: string): RepairedJson | undefined {
  const mended: string[] = [];
  let inner = text.trim();
  if (inner !== text.slice(leadingSpace(text, 0)).replace(/[ \t\r\n]+$/, '')) mended.push('white space around it');
  const head = fenceStart.exec(inner)?.[0].length ?? inner.length;
  if (inner.length >= head + fence.length && inner.endsWith(fence)) {
    inner = inner.slice(head, -fence.length).trim();
    mended.push('a code fence around it');
  }
  const values = readValues(inner);
  const [first, ...again] = values ?? [];
  if (first === undefined || !isJson(first.json)) return undefined;
  if (again.some(({ json }) => !isSameJson(first.json, json))) return undefined;
  if (first.controls) mended.push('raw control characters in its strings');
  if (first.commas) mended.push('a comma before a closing bracket');
  if (again.length > 0) mended.push('the same value sent again');
  return { json: first.json, mended };
}

interface ReadValue {
  readonly json: string;
  readonly controls: boolean;
  readonly commas: boolean;
}

interface Level {
  readonly close: '}' | ']';
  readonly keys: Set<string>;
}

/** The values that stand one behind the other in the text; undefined where one is not closed or repeats a key. */
function readValues(text: string): readonly ReadValue[] | undefined {
  const values: ReadValue[] = [];
  for (let at = 0; at < text.length; ) {
    const value = readValue(text, at);
    if (value === undefined) return undefined;
    values.push(value);
    at = value.end + leadingSpace(text, value.end);
  }
  return values;
}

const controlCharacter = /[\0-\x1f]/;

/** The object, list or string that begins at the place, to its own closing bracket or quote. */
function readValue(text: string, start: number): (ReadValue & { readonly end: number }) | undefined {
  if (!'{["'.includes(text.charAt(start))) return undefined;
  const levels: Level[] = [];
  let json = '';
  /** The last character of it that is no white space. */
  let last = '';
  let controls = false;
  let commas = false;
  for (let at = start; at < text.length; ) {
    const character = text.charAt(at);
    if (character === '"') {
      const end = stringEnd(text, at);
      if (end === undefined) return undefined;
      const string = text.slice(at, end);
      controls ||= controlCharacter.test(string);
      const escaped = string.replace(/[\0-\x1f]/g, (control) => JSON.stringify(control).slice(1, -1));
      if (text.charAt(end + leadingSpace(text, end)) === ':' && !addKey(levels.at(-1), escaped)) return undefined;
      json += escaped;
      last = '"';
      at = end;
    } else {
      const closes = levels.at(-1)?.close;
      if (character === '{' || character === '[')
        levels.push({ close: character === '{' ? '}' : ']', keys: new Set() });
      if (character === closes) levels.pop();
      const isStray = character === ',' && closes === text.charAt(at + 1 + leadingSpace(text, at + 1));
      // A comma behind nothing stays, so that it is no JSON: `[,]` may miss a value.
      if (isStray && !'[{,'.includes(last)) commas = true;
      else json += character;
      if (!isSpace(character)) last = character;
      at += 1;
    }
    if (levels.length === 0) return { json, controls, commas, end: at };
  }
  return undefined;
}

/** Behind the quote that ends the string. */
function stringEnd(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (character === '"') return at + 1;
  }
  return undefined;
}

function addKey(level: Level | undefined, quoted: string): boolean {
  if (level === undefined || !isJson(quoted)) return false;
  const key = String(JSON.parse(quoted));
  if (level.keys.has(key)) return false;
  level.keys.add(key);
  return true;
}

function leadingSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text.charAt(at))) at += 1;
  return at - from;
}

function isSpace(character: string): boolean {
  return ' \t\r\n'.includes(character);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isSameJson(left: string, right: string): boolean {
  return isJson(right) && JSON.stringify(JSON.parse(left)) === JSON.stringify(JSON.parse(right));
}
