/**
 * The one table of names: what the wire calls a thing, and what TypeScript calls it. Wire names are camelCase fields,
 * `noun/verb` methods and `noun.past` events; type names are nouns.
 */
export const names = {
  records: {
    running: 'RunningRecord',
    blocked: 'BlockedRecord',
    completed: 'CompletedRecord',
    interrupted: 'InterruptedRecord',
    failed: 'FailedRecord',
    unknownOutcome: 'UnknownOutcomeRecord',
  },
  callbacks: {
    approval: 'OpenApproval',
    sign_in: 'OpenSignIn',
    client_tool: 'OpenClientToolCall',
    unknown: 'UnknownOpenCallback',
  },
  answers: { allow: 'AllowAnswer', deny: 'DenyAnswer', sign_in: 'SignInAnswer', tool_result: 'ClientToolAnswer' },
  blocks: {
    text: 'TextContentBlock',
    image: 'ImageContentBlock',
    audio: 'AudioContentBlock',
    resource_link: 'ResourceLinkContentBlock',
    embedded_resource: 'EmbeddedResourceContentBlock',
    reasoning: 'ReasoningBlock',
    tool_call: 'ToolCallBlock',
    opaque: 'OpaqueBlock',
    unknown: 'UnknownContentBlock',
  },
  entries: {
    message: 'MessageEntry',
    assistant: 'AssistantEntry',
    reasoning: 'ReasoningEntry',
    tool_call: 'ToolCallEntry',
    tool_result: 'ToolResultEntry',
    checkpoint: 'CheckpointEntry',
    unknown: 'UnknownEntry',
  },
  /** The first seed's Python-style spellings that importers also accept. */
  accepted: {
    tool_call_id: 'toolCallId',
    tool_kind: 'toolKind',
    media_type: 'mediaType',
    alt_text: 'altText',
    original_type: 'originalType',
    last_modified: 'lastModified',
    task_name: 'taskName',
    snapshot_type: 'snapshotType',
  },
} as const;
