import { describe, expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import * as protocol from '../index.ts';
import { messageUuid } from './derive-uuid.ts';
import { messages, systemMessages, type SDKMessage } from './sdk-message.ts';

/** The members of the second seed's union, in its order. */
const declared = [
  'SDKAssistantMessage',
  'SDKUserMessage',
  'SDKUserMessageReplay',
  'SDKResultMessage',
  'SDKSystemMessage',
  'SDKPartialAssistantMessage',
  'SDKCompactBoundaryMessage',
  'SDKStatusMessage',
  'SDKLocalCommandOutputMessage',
  'SDKHookStartedMessage',
  'SDKHookProgressMessage',
  'SDKHookResponseMessage',
  'SDKPluginInstallMessage',
  'SDKToolProgressMessage',
  'SDKAuthStatusMessage',
  'SDKTaskNotificationMessage',
  'SDKTaskStartedMessage',
  'SDKTaskProgressMessage',
  'SDKTaskUpdatedMessage',
  'SDKBackgroundTasksChangedMessage',
  'SDKThinkingTokensMessage',
  'SDKSessionStateChangedMessage',
  'SDKWorkerShuttingDownMessage',
  'SDKCommandsChangedMessage',
  'SDKNotificationMessage',
  'SDKFilesPersistedEvent',
  'SDKToolUseSummaryMessage',
  'SDKMemoryRecallMessage',
  'SDKRateLimitEvent',
  'SDKElicitationCompleteMessage',
  'SDKPermissionDeniedMessage',
  'SDKPromptSuggestionMessage',
  'SDKAPIRetryMessage',
  'SDKMirrorErrorMessage',
  'SDKInformationalMessage',
  'SDKConversationResetMessage',
] as const;
/** What its peer sends beside them. */
const undeclared = ['SDKCommandLifecycleMessage', 'SDKSessionTitleChangedMessage', 'SDKModelFallbackMessage'] as const;

type Named = (typeof declared)[number] | (typeof undeclared)[number];
type Member<Name extends Named> = (typeof protocol)[Name] extends z.ZodType<infer Line> ? Line : never;
type Kind<Line> = Line extends { type: infer Type }
  ? Line extends { subtype: infer Subtype }
    ? `${Type & string}/${Subtype & string}`
    : Type & string
  : never;

test('the union has the members that the second seed declares, and three more', () => {
  expect(declared).toHaveLength(36);
  expectTypeOf<Kind<SDKMessage>>().toEqualTypeOf<Kind<Member<Named>>>();
});

test('every member has a schema, under which a line of its kind is read', () => {
  const read = new Set<unknown>([
    protocol.SDKUserMessage,
    protocol.SDKUserMessageReplay,
    ...Object.values(systemMessages),
    ...Object.values(messages),
  ]);
  const exported = new Map(Object.entries<unknown>(protocol));
  const named = new Set([...declared, ...undeclared].map((name) => exported.get(name)));
  expect(read).toEqual(named);
  expect(named.size).toBe(declared.length + undeclared.length);
});

const line = { uuid: messageUuid('e', 0), session_id: 's' };
const task = { ...line, type: 'system', task_id: 't' };

describe('a line of a kind that nothing in this version sends', () => {
  test.each([
    { ...line, type: 'system', subtype: 'compact_boundary', compact_metadata: { trigger: 'auto', pre_tokens: 9 } },
    { ...line, type: 'system', subtype: 'local_command_output', content: 'text' },
    { ...line, type: 'system', subtype: 'plugin_install', status: 'installed', name: 'p' },
    { ...line, type: 'auth_status', isAuthenticating: true, output: ['open the page'] },
    { ...task, subtype: 'task_started', description: 'd', task_type: 'local_bash' },
    {
      ...task,
      subtype: 'task_progress',
      description: 'd',
      usage: { total_tokens: 1, tool_uses: 2, duration_ms: 3 },
    },
    { ...task, subtype: 'task_updated', patch: { status: 'killed', end_time: 5 } },
    { ...task, subtype: 'task_notification', status: 'stopped', output_file: '/o', summary: 's' },
    { ...line, type: 'system', subtype: 'background_tasks_changed', tasks: [] },
    { ...line, type: 'system', subtype: 'commands_changed', commands: [] },
    { ...line, type: 'system', subtype: 'files_persisted', files: [], failed: [], processed_at: 'now' },
    { ...line, type: 'tool_use_summary', summary: 's', preceding_tool_use_ids: ['c'] },
    { ...line, type: 'system', subtype: 'memory_recall', mode: 'select', memories: [{ path: 'm', scope: 'personal' }] },
    { ...line, type: 'system', subtype: 'elicitation_complete', mcp_server_name: 'm', elicitation_id: 'e' },
    { ...line, type: 'conversation_reset', new_conversation_id: messageUuid('e', 1) },
  ])('is read and checked: $type $subtype', (value) => {
    expect(protocol.SDKMessage.parse(value)).toEqual(value);
    expect(protocol.SDKMessage.safeParse({ ...value, uuid: 'none' }).success).toBe(false);
  });
});
