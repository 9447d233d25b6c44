import type { CanUseTool, PermissionResult, PermissionUpdate } from '@rondo/sdk';
import { replacementLines } from './diff-lines.ts';
import type { Keyboard } from './keyboard.ts';
import type { Paint } from './painter.ts';
import { printableLine, printableText } from './printable-text.ts';
import { toolLine } from './tool-line.ts';

export interface PermissionQuestionOptions {
  readonly keyboard: Pick<Keyboard, 'readLine'>;
  readonly write: (text: string) => void;
  readonly paint: Paint;
  readonly cwd: string;
  readonly width: () => number;
}

const shownLines = 30;
const withdrawn: PermissionResult = { behavior: 'deny', message: 'The question was withdrawn.' };

/**
 * Asks the person at the terminal: y allows this call, a allows what the question shows for the session, n denies, with
 * a reason if one follows. Anything else is asked again; Ctrl-C and the end of the input deny and stop the turn.
 */
export function createPermissionQuestion(options: PermissionQuestionOptions): CanUseTool {
  const { keyboard, write, paint } = options;
  // Calls that run at once may ask at once; a question stays whole on the screen until it is answered.
  let earlier: Promise<unknown> = Promise.resolve();
  return (...call) => {
    const answer = earlier.then(() => ask(...call));
    earlier = answer.catch(() => undefined);
    return answer;
  };

  async function ask(...[toolName, input, context]: Parameters<CanUseTool>): Promise<PermissionResult> {
    const { signal, suggestions, decisionReason, blockedPath } = context;
    if (signal.aborted) return withdrawn;
    const width = options.width();
    const rules = suggestions === undefined ? [] : forSession(suggestions);
    const offer = rules.map(describeUpdate).filter((text) => text !== '');
    write(
      `\n${paint('yellow', '?')} ${paint('bold', toolLine(toolName, input, { cwd: options.cwd, width: width - 2 }))}\n`,
    );
    for (const line of detailLines(toolName, input, paint, width)) write(`    ${line}\n`);
    const why = decisionReason ?? (blockedPath === undefined ? undefined : `${blockedPath} is outside the folder`);
    if (why !== undefined) write(`  ${paint('dim', printableLine(why, width - 2))}\n`);
    const always = offer.length === 0 ? '' : `a for the session (${printableLine(offer.join(', '), 60)}), `;
    for (;;) {
      const answer = await keyboard.readLine({ prompt: `  y once, ${always}n [reason]: `, purpose: 'answer', signal });
      if (signal.aborted) return withdrawn;
      if (answer.type !== 'line') return { behavior: 'deny', message: 'The user stopped the turn.', interrupt: true };
      const decided = readAnswer(answer.text, input, rules);
      if (decided !== undefined) return decided;
    }
  }
}

function readAnswer(
  text: string,
  input: Record<string, unknown>,
  rules: PermissionUpdate[],
): PermissionResult | undefined {
  const [, word = '', reason = ''] = /^\s*(\S*)\s*(.*?)\s*$/s.exec(text) ?? [];
  const choice = word.toLowerCase().replace(/[,.:;]$/, '');
  if (choice === 'n' || choice === 'no') {
    const message = reason === '' ? 'The user does not allow this.' : `The user does not allow this: ${reason}`;
    return { behavior: 'deny', message };
  }
  if (reason !== '') return undefined;
  if (choice === 'y' || choice === 'yes') return { behavior: 'allow', updatedInput: input };
  if (choice === 'a' && rules.length > 0) {
    return { behavior: 'allow', updatedInput: input, updatedPermissions: rules };
  }
  return undefined;
}

/** What the engine suggests, kept for this session alone whatever file it would go to. */
function forSession(suggestions: readonly PermissionUpdate[]): PermissionUpdate[] {
  return suggestions.map((update) => ({ ...update, destination: 'session' }));
}

function describeUpdate(update: PermissionUpdate): string {
  switch (update.type) {
    case 'addRules':
    case 'replaceRules':
    case 'removeRules':
      return update.rules
        .map(({ toolName, ruleContent }) => (ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`))
        .join(', ');
    case 'setMode':
      return `mode ${update.mode}`;
    case 'addDirectories':
    case 'removeDirectories':
      return update.directories.join(', ');
  }
}

/** What a person must see before allowing it, whole where it matters: the command, the change. */
function detailLines(toolName: string, input: Record<string, unknown>, paint: Paint, width: number): string[] {
  const text = (key: string): string | undefined => (typeof input[key] === 'string' ? input[key] : undefined);
  const command = text('command');
  // One line that fits is the heading already.
  if (command !== undefined) {
    const lines = printableText(command).split('\n');
    return lines.length === 1 && toolName.length + command.length < width - 4 ? [] : lines;
  }
  const before = text('old_string');
  const after = text('new_string');
  if (before !== undefined && after !== undefined) return replacementLines(before, after, paint, shownLines);
  const content = text('content');
  if (toolName === 'Write' && content !== undefined) return replacementLines('', content, paint, shownLines);
  return Object.keys(input).length <= 1 ? [] : printableText(JSON.stringify(input, null, 2)).split('\n');
}
