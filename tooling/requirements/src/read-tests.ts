import { type CallExpression, type Expression, parseSync, type Program, Visitor } from 'oxc-parser';

export interface Test {
  readonly path: string;
  readonly line: number;
  /** Its own title behind those of the `describe`s around it. */
  readonly titles: readonly string[];
  readonly skipped: boolean;
}

interface Suite {
  readonly end: number;
  /** One title, or one for each row of an `each` that can be read without running it. */
  readonly titles: readonly string[];
  readonly skipped: boolean;
}

const testNames = new Set(['test', 'it']);
const skips = new Set(['skip', 'todo']);

/** The text of a file that another one imports by a relative path. */
export type ReadImported = (specifier: string) => string;

/**
 * The tests of a file, read without running it. An `each` over a list that stands in the file, or in one beside it that
 * it imports, counts once for each of its rows when its title holds `%s`, or `$name` of the rows' own strings; any other
 * title stays as written.
 */
export function readTests(path: string, text: string, readImported?: ReadImported): Test[] {
  const program = parse(path, text);
  const lists = new Map([...(readImported ? importedLists(program, readImported) : []), ...listsOf(program)]);
  const tests: Test[] = [];
  const open: Suite[] = [];
  new Visitor({
    CallExpression: (node) => {
      const call = readCall(node);
      const title = call && stringOf(node.arguments[0]);
      if (call === undefined || title === undefined) return;
      while (open.length > 0 && (open.at(-1)?.end ?? 0) <= node.start) open.pop();

      const skipped = call.members.some((member) => skips.has(member)) || open.some((suite) => suite.skipped);
      if (call.name === 'describe') {
        open.push({ end: node.end, titles: expand(title, call.table, lists), skipped });
        return;
      }
      const line = text.slice(0, node.start).split('\n').length;
      const own = expand(title, call.table, lists);
      for (const titles of combine([...open.map((suite) => suite.titles), own])) {
        tests.push({ path, line, titles, skipped });
      }
    },
  }).visit(program);
  return tests;
}

interface Call {
  readonly name: string;
  readonly members: readonly string[];
  readonly table?: Expression;
}

/** `test(…)`, `test.skip(…)`, `describe.each(table)(…)`: what is called, or undefined for anything else. */
function readCall(node: CallExpression): Call | undefined {
  const members: string[] = [];
  let table: Expression | undefined;
  let callee: Expression = node.callee;
  for (;;) {
    if (callee.type === 'Identifier') {
      if (callee.name !== 'describe' && !testNames.has(callee.name)) return undefined;
      return { name: callee.name, members, ...(table ? { table } : {}) };
    }
    if (callee.type === 'MemberExpression' && callee.property.type === 'Identifier') {
      members.push(callee.property.name);
      callee = callee.object;
    } else if (callee.type === 'CallExpression') {
      const argument = callee.arguments[0];
      if (argument && argument.type !== 'SpreadElement') table = argument;
      callee = callee.callee;
    } else return undefined;
  }
}

function parse(path: string, text: string): Program {
  const { program, errors } = parseSync(path, text);
  const first = errors[0];
  if (first) throw new Error(`${path}: ${first.message}`);
  return program;
}

function importedLists(program: Program, read: ReadImported): Map<string, Expression> {
  const lists = new Map<string, Expression>();
  for (const statement of program.body) {
    if (statement.type !== 'ImportDeclaration' || !statement.source.value.startsWith('./')) continue;
    if (statement.importKind === 'type') continue;
    const theirs = listsOf(parse(statement.source.value, read(statement.source.value)));
    for (const specifier of statement.specifiers) {
      if (specifier.type !== 'ImportSpecifier' || specifier.imported.type !== 'Identifier') continue;
      const list = theirs.get(specifier.imported.name);
      if (list !== undefined) lists.set(specifier.local.name, list);
    }
  }
  return lists;
}

function listsOf(program: Program): Map<string, Expression> {
  const lists = new Map<string, Expression>();
  for (const member of program.body) {
    const statement = member.type === 'ExportNamedDeclaration' ? member.declaration : member;
    if (statement?.type !== 'VariableDeclaration') continue;
    for (const { id, init } of statement.declarations) if (id.type === 'Identifier' && init) lists.set(id.name, init);
  }
  return lists;
}

function expand(title: string, table: Expression | undefined, lists: ReadonlyMap<string, Expression>): string[] {
  const list = unwrap(table?.type === 'Identifier' ? lists.get(table.name) : table);
  const property = /\$(\w+)/.exec(title);
  const mark = property?.[0] ?? '%s';
  if (list?.type !== 'ArrayExpression' || !title.includes(mark)) return [title];
  return list.elements.flatMap((element) => {
    if (element === null || element.type === 'SpreadElement') return [];
    const value = valueOf(element, property?.[1]);
    return value === undefined ? [] : [title.replace(mark, value)];
  });
}

/** The list of `[…] as const` or `[…] satisfies Rows`. */
function unwrap(node: Expression | undefined): Expression | undefined {
  return node?.type === 'TSAsExpression' || node?.type === 'TSSatisfiesExpression' ? unwrap(node.expression) : node;
}

function valueOf(element: Expression, property: string | undefined): string | undefined {
  if (property === undefined) return stringOf(element.type === 'ArrayExpression' ? element.elements[0] : element);
  if (element.type !== 'ObjectExpression') return undefined;
  for (const member of element.properties) {
    if (member.type !== 'Property' || member.key.type !== 'Identifier' || member.key.name !== property) continue;
    return stringOf(member.value);
  }
  return undefined;
}

/** The text of a literal; what a template fills in stands as `${…}`. */
function stringOf(node: CallExpression['arguments'][number] | null | undefined): string | undefined {
  if (node?.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node?.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked ?? value.raw).join('${…}');
  return undefined;
}

const combine = (levels: readonly (readonly string[])[]): string[][] =>
  levels.reduce<string[][]>((paths, titles) => paths.flatMap((path) => titles.map((title) => [...path, title])), [[]]);
