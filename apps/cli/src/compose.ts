import type { Options } from '@rondo/sdk';
import type { ChatRequest } from './command/chat-request.ts';
import { inFlags } from './command/problem.ts';

/** What was asked for on the command line, as `query()` takes it. What was not asked for is left to settings. */
export function queryOptions(request: ChatRequest, note: (text: string) => void): Options {
  const { appendSystemPrompt: append, systemPrompt } = request;
  return {
    allowedTools: [...request.allowedTools],
    disallowedTools: [...request.disallowedTools],
    additionalDirectories: [...request.addDir],
    allowDangerouslySkipPermissions: request.allowBypass || request.permissionMode === 'bypassPermissions',
    includePartialMessages: request.includePartialMessages,
    persistSession: request.persistSession,
    ...(request.debug ? { debug: true } : {}),
    ...(request.debugFile === undefined ? {} : { debugFile: request.debugFile }),
    stderr: (text) => note(inFlags(text)),
    systemPrompt:
      systemPrompt === undefined
        ? { type: 'preset', preset: 'claude_code', ...(append === undefined ? {} : { append }) }
        : [systemPrompt, append].filter((text) => text !== undefined).join('\n\n'),
    ...(request.tools === undefined ? {} : { tools: toolSelection(request.tools) }),
    ...(request.model === undefined ? {} : { model: request.model }),
    ...(request.record === undefined ? {} : { record: request.record }),
    ...(request.maxTurns === undefined ? {} : { maxTurns: request.maxTurns }),
    ...(request.maxBudgetUsd === undefined ? {} : { maxBudgetUsd: request.maxBudgetUsd }),
    ...(request.permissionMode === undefined ? {} : { permissionMode: request.permissionMode }),
    ...(request.settings === undefined ? {} : { settings: request.settings }),
    ...(request.settingSources === undefined ? {} : { settingSources: [...request.settingSources] }),
    ...(request.continue ? { continue: true } : {}),
    ...(request.resume ? { resume: request.resume } : {}),
    ...(request.forkSession ? { forkSession: true } : {}),
    ...(request.sessionId === undefined ? {} : { sessionId: request.sessionId }),
    ...request.further,
  };
}

function toolSelection(names: readonly string[]): NonNullable<Options['tools']> {
  return names.includes('default') ? { type: 'preset', preset: 'claude_code' } : [...names];
}
