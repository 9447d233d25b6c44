import { RondoError } from '@rondo/protocol/values';
import type { Options } from '@rondo/sdk';
import type { Frame } from './read-frames.ts';

/** Fields that are options under the same name. */
const sameNamed = [
  'agents',
  'title',
  'skills',
  'planModeInstructions',
  'toolAliases',
  'promptSuggestions',
  'agentProgressSummaries',
  'forwardSubagentText',
  'plugins',
] as const;

/**
 * What `initialize` says that is an option of `query()`. Hooks and servers of the client's program are not here: they need the
 * client to be asked. Values are judged by the options.
 */
export function initializeOptions(fields: Frame): Frame {
  const { jsonSchema } = fields;
  return {
    ...systemPromptOption(fields),
    ...Object.fromEntries(sameNamed.filter((name) => isGiven(fields[name])).map((name) => [name, fields[name]])),
    ...(isGiven(jsonSchema) ? { outputFormat: { type: 'json_schema', schema: jsonSchema } } : {}),
  };
}

/** What clients say by the environment. */
export function environmentOptions(env: Readonly<Record<string, string | undefined>>): Frame {
  const checkpoints = env['CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING'];
  const previewFormat = env['CLAUDE_CODE_QUESTION_PREVIEW_FORMAT'];
  return {
    ...(checkpoints === 'true' || checkpoints === '1' ? { enableFileCheckpointing: true } : {}),
    ...(previewFormat === undefined ? {} : { toolConfig: { askUserQuestion: { previewFormat } } }),
  };
}

/** Clients send an empty prompt where their caller named none, and no prompt at all for the preset. */
function systemPromptOption(fields: Frame): Partial<Pick<Options, 'systemPrompt'>> | Frame {
  const { systemPrompt, appendSystemPrompt: append } = fields;
  if (isGiven(systemPrompt)) {
    const parts: readonly unknown[] = Array.isArray(systemPrompt) ? systemPrompt : [systemPrompt];
    const given = [...parts, append].filter(isGiven);
    if (!given.every((part) => typeof part === 'string'))
      throw new RondoError('input.invalid', 'initialize.systemPrompt takes a text, or a list of texts.');
    const text = given.filter((part) => part !== '').join('\n\n');
    return { systemPrompt: text === '' ? undefined : text };
  }
  return isGiven(append) ? { systemPrompt: { type: 'preset', preset: 'claude_code', append } } : {};
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
