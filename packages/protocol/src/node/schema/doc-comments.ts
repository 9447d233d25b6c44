/** What the comments of one source file promise: of each exported constant, and of the fields of its objects. */
export interface DocComments {
  readonly ofConstant: ReadonlyMap<string, string>;
  readonly ofFields: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

const doc = String.raw`/\*\*((?:(?!\*/)[\s\S])*)\*/\n`;
const constant = new RegExp(String.raw`(?:^${doc})?^(?:export )?const (\w+)[\s\S]*?(?=;$)`, 'gm');
const field = new RegExp(String.raw`(?:^  ${doc})?^  (?:(\w+)(?=[,:])|\.\.\.(\w+))`, 'gm');

/** Reads comments as the formatter lays code out: a constant at the margin, its fields two spaces in. */
export function readDocComments(source: string): DocComments {
  const ofConstant = new Map<string, string>();
  const ofFields = new Map<string, Map<string, string>>();
  for (const [text, comment, name = ''] of source.matchAll(constant)) {
    if (comment !== undefined) ofConstant.set(name, sentence(comment));
    const fields = new Map<string, string>();
    for (const [, spread] of text.matchAll(/\.\.\.(\w+)/g)) copy(ofFields.get(spread ?? ''), fields);
    for (const [, about, key] of text.matchAll(field)) {
      if (about !== undefined && key !== undefined) fields.set(key, sentence(about));
    }
    ofFields.set(name, fields);
  }
  return { ofConstant, ofFields };
}

function copy(from: ReadonlyMap<string, string> = new Map(), to: Map<string, string>): void {
  for (const [key, value] of from) to.set(key, value);
}

/** The comment in one line, without stars and link braces. */
function sentence(comment: string): string {
  return comment
    .replace(/^\s*\* ?/gm, '')
    .replace(/\{@link (\w+)\}/g, '`$1`')
    .replace(/\s+/g, ' ')
    .trim();
}
