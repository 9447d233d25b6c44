import { z } from 'zod';
import { JsonValue } from '../json/json-value.ts';
import { openObject } from '../json/open-object.ts';
import { openUnion } from '../json/open-union.ts';
import { PermissionRuleValue, PermissionUpdate } from '../permission/permission-update.ts';

const common = {
  /** A UUID, unique in its session, the same over any number of restarts. */
  id: z.uuid(),
  sessionId: z.string(),
  turnId: z.string(),
  /** What a person reads first. */
  title: z.string(),
  openedAt: z.string(),
  /** Place of its opening in the session tree's log: greater than a cursor's number, it was opened after that. */
  seq: z.number().int().positive().optional(),
};

export const ToolAnnotations = openObject({
  title: z.string().optional(),
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
});
export type ToolAnnotations = z.infer<typeof ToolAnnotations>;

export const ApprovalRequest = openObject({
  /** The call in the session tree; `toolCallId` is the provider's name for it. */
  callId: z.string(),
  toolCallId: z.string(),
  tool: openObject({
    name: z.string(),
    title: z.string().optional(),
    annotations: ToolAnnotations.optional(),
    /** The server or package it comes from, when it is not built in. */
    source: z.string().optional(),
  }),
  /** The final arguments. The answer counts for these and no others. */
  input: JsonValue,
  /** SHA-256 over tool name and canonical arguments. */
  inputHash: z.string(),
  source: z.enum(['policy', 'hook']),
  reason: z.string().optional(),
  reasonType: z.string().optional(),
  suggestions: z.array(PermissionUpdate).optional(),
  /** What an answer with scope `session` allows from then on. */
  sessionRule: PermissionRuleValue.optional(),
  blockedPath: z.string().optional(),
  /** The tool wants a person for each of its calls, whatever is allowed. */
  requiresPerson: z.boolean().optional(),
});
export type ApprovalRequest = z.infer<typeof ApprovalRequest>;

/** A tool call waits for someone's leave. */
export const OpenApproval = openObject({ type: z.literal('approval'), ...common, request: ApprovalRequest });
export type OpenApproval = z.infer<typeof OpenApproval>;

export const SignInRequest = openObject({
  sourceId: z.string(),
  name: z.string().optional(),
  url: z.string().optional(),
  reason: z.enum(['missing', 'expired']).optional(),
});
export type SignInRequest = z.infer<typeof SignInRequest>;

/** Sources must be connected before their tools are used. */
export const OpenSignIn = openObject({
  type: z.literal('sign_in'),
  ...common,
  requests: z.array(SignInRequest),
  /** The call whose tool asks, where one does. */
  callId: z.string().optional(),
});
export type OpenSignIn = z.infer<typeof OpenSignIn>;

/** A tool that lives with the client waits for its result. */
export const OpenClientToolCall = openObject({
  type: z.literal('client_tool'),
  ...common,
  call: openObject({
    /** The call in the session tree; `toolCallId` is the provider's name for it. */
    callId: z.string().optional(),
    toolCallId: z.string(),
    /** Namespace and name: `client.` before the name of a program's own tool. */
    toolId: z.string(),
    name: z.string(),
    arguments: JsonValue,
  }),
});
export type OpenClientToolCall = z.infer<typeof OpenClientToolCall>;

export const UnknownOpenCallback = z.object({ type: z.literal('unknown'), originalType: z.string(), raw: JsonValue });
export type UnknownOpenCallback = z.infer<typeof UnknownOpenCallback>;

/** A question that a turn asks and waits on. */
export const OpenCallback = openUnion(
  { approval: OpenApproval, sign_in: OpenSignIn, client_tool: OpenClientToolCall },
  UnknownOpenCallback,
);
export type OpenCallback = z.infer<typeof OpenCallback>;

/** A known question: what a turn of this version can open. */
export type KnownOpenCallback = OpenApproval | OpenSignIn | OpenClientToolCall;
