/**
 * A hook's line with `${CLAUDE_PLUGIN_ROOT}` replaced by the folder, so that it is there also where the shell puts nothing
 * in, as between single quotes. It stays one word and nothing but a path, whatever its characters.
 */
export function putPluginRoot(line: string, root: string): string {
  const variable = '${CLAUDE_PLUGIN_ROOT}';
  let written = '';
  let quote: '"' | "'" | undefined;
  for (let index = 0; index < line.length; index += 1) {
    const character = line.charAt(index);
    if (line.startsWith(variable, index)) {
      written += inQuotes(root, quote);
      index += variable.length - 1;
    } else if (character === '\\' && quote !== "'") {
      written += line.slice(index, index + 2);
      index += 1;
    } else {
      if (quote === undefined && (character === '"' || character === "'")) quote = character;
      else if (character === quote) quote = undefined;
      written += character;
    }
  }
  return written;
}

function inQuotes(path: string, quote: '"' | "'" | undefined): string {
  if (quote === '"') return path.replace(/["$`\\]/g, '\\$&');
  const inSingle = path.replace(/'/g, `'\\''`);
  if (quote === "'") return inSingle;
  return /^[\w./-]+$/.test(path) ? path : `'${inSingle}'`;
}

/** Variables that hooks are written with and nothing sets, for the input comes as JSON on standard input. */
const neverSet = [
  'CLAUDE_FILE_PATH',
  'CLAUDE_FILE_PATHS',
  'CLAUDE_TOOL_INPUT',
  'CLAUDE_TOOL_INPUT_FILE_PATH',
  'CLAUDE_TOOL_NAME',
  'CLAUDE_TOOL_OUTPUT',
  'STDIN_JSON',
  'TOOL_FILE',
  'TOOL_INPUT',
  'TOOL_NAME',
  'file',
];

/** Those that a line reads and neither it nor the environment sets: it works on nothing. */
export function unsetVariables(line: string, env: Readonly<Record<string, string>>): readonly string[] {
  return neverSet.filter((name) => {
    const isRead = new RegExp(`\\$(${name}(?!\\w)|\\{${name}[}:])`).test(line);
    const isSet = new RegExp(`(^|[\\s;&|(])(${name}=|read\\b[^;&|\n]*\\b${name}\\b|for ${name}\\b)`).test(line);
    return isRead && !isSet && !Object.hasOwn(env, name);
  });
}
