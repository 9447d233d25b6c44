import { isRondoError } from '@rondo/protocol/values';
import { kebabCase } from './flag.ts';

/** What a person is told of an error, and what the process exits with. */
export interface Problem {
  readonly message: string;
  readonly exitCode: 1 | 2;
}

export function problemOf(error: unknown): Problem {
  if (isRondoError(error)) {
    return { message: inFlags(error.message), exitCode: error.code === 'input.invalid' ? 2 : 1 };
  }
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const way = 'This is a fault of rondo itself. --debug-file FILE writes down what led to it.';
  return { message: `${what}\n${way}`, exitCode: 1 };
}

/** Options whose flag has another name. */
const flagsOfOptions: ReadonlyMap<string, string> = new Map([
  ['mcpServers', 'mcp-config'],
  ['permissionPromptToolName', 'permission-prompt-tool'],
  ['plugins', 'plugin-dir'],
]);

/** The engine speaks to programs and names options; a person at the command line knows flags. */
export function inFlags(message: string): string {
  return message
    .replace(/\boptions\.outputFormat\.schema\b/g, '--json-schema')
    .replace(/\boptions\.([A-Za-z]+)/g, (_, option: string) => `--${flagsOfOptions.get(option) ?? kebabCase(option)}`)
    .replace(/\b([a-z]+(?:[A-Z][a-z]+)+): true\b/g, (_, option: string) => `--${kebabCase(option)}`)
    .replace(/\bleave out (continue|resume)\b/g, 'leave out --$1');
}
