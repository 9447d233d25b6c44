import { z } from 'zod';
import { TurnInputBlock } from '../content/content-block.ts';
import { JsonObject, JsonValue } from '../json/json-value.ts';
import { openObject } from '../json/open-object.ts';
import { PermissionUpdate } from '../permission/permission-update.ts';

/** Lets the call run: this once, or (`session`) whatever the question's own rule covers, for the session tree. */
export const AllowAnswer = openObject({
  type: z.literal('allow'),
  scope: z.enum(['once', 'session']).default('once'),
  /** Replaces the arguments; they are validated and pass the deny rules again. */
  updatedInput: JsonObject.optional(),
  updatedPermissions: z.array(PermissionUpdate).optional(),
});
export type AllowAnswer = z.infer<typeof AllowAnswer>;

export const DenyAnswer = openObject({
  type: z.literal('deny'),
  /** What the model reads. */
  message: z.string().optional(),
  /** Also stops the turn. */
  interrupt: z.boolean().optional(),
});
export type DenyAnswer = z.infer<typeof DenyAnswer>;

export const SignInAnswer = openObject({
  type: z.literal('sign_in'),
  connected: z.array(z.string()),
  denied: z.array(z.string()),
});
export type SignInAnswer = z.infer<typeof SignInAnswer>;

/** How a call ended that a client answers: with a result, null where none is given, or with an error, never with both. */
export const ClientToolAnswer = openObject({
  type: z.literal('tool_result'),
  result: JsonValue.optional(),
  /** What the model reads in place of the result's JSON. */
  content: z.array(TurnInputBlock).optional(),
  /** What the model reads of a call that failed. */
  error: z.string().optional(),
});
export type ClientToolAnswer = z.infer<typeof ClientToolAnswer>;

export const CallbackAnswer = z.discriminatedUnion('type', [AllowAnswer, DenyAnswer, SignInAnswer, ClientToolAnswer]);
export type CallbackAnswer = z.infer<typeof CallbackAnswer>;

/** What became of an answer. `answer` is the one that counted, for approvals: compare it with your own. */
export const AnswerOutcome = z.discriminatedUnion('type', [
  openObject({
    type: z.literal('answered'),
    sessionId: z.string(),
    answer: z.union([AllowAnswer, DenyAnswer]).nullable(),
  }),
  openObject({ type: z.literal('alreadySettled'), sessionId: z.string() }),
  openObject({ type: z.literal('notFound') }),
]);
export type AnswerOutcome = z.infer<typeof AnswerOutcome>;
