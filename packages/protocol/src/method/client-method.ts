import { z } from 'zod';
import { JsonObject, JsonValue } from '../json/json-value.ts';
import { openObject } from '../json/open-object.ts';

/** Where hooks run, in the order of a turn. */
export const HookPoint = z.enum([
  'preAgentTurn',
  'preLlmCall',
  'postLlmCall',
  'preToolCall',
  'postToolCall',
  'postAgentTurn',
]);
export type HookPoint = z.infer<typeof HookPoint>;

/** What a client binds of a hook that lives in it. */
export const BoundHook = openObject({
  /** Unique among the hooks of the binding; the log names the hook by it. */
  name: z.string().regex(/\S/, 'a hook has a name'),
  /** Those at which the client is asked. */
  points: z.array(HookPoint).min(1),
  /** How long it may take to decide; a minute unless said. */
  timeoutMs: z.number().int().positive().max(86_400_000).optional(),
});
export type BoundHook = z.infer<typeof BoundHook>;

/** Words, or content blocks, which are checked where they are used. */
const Reason = z.union([z.string(), z.array(JsonObject)]);

const Decision = z.discriminatedUnion('type', [
  openObject({
    type: z.literal('continue'),
    userContent: Reason.optional(),
    arguments: JsonObject.optional(),
    result: z
      .union([
        Reason,
        openObject({ content: Reason, structured: JsonValue.optional(), isError: z.boolean().optional() }),
      ])
      .optional(),
    text: z.string().optional(),
  }),
  openObject({ type: z.literal('skip'), reason: Reason }),
  openObject({ type: z.literal('retry'), feedback: Reason }),
  openObject({ type: z.literal('reject'), reason: Reason }),
  openObject({ type: z.literal('ask'), reason: z.string() }),
]);

/** What a host asks of the client of a connection, by requests of its own. */
export const clientMethods = {
  /** Asks a hook that the client has bound for its decision, at one point of a turn. It may be asked the same again. */
  'capability/call': {
    params: openObject({
      /** As `capability/bind` answered. */
      bindingId: z.string(),
      name: z.string(),
      point: HookPoint,
      sessionId: z.string(),
      turnId: z.string(),
      /** What the hook judges. */
      payload: JsonObject,
    }),
    /** Which decisions a point knows is the runtime's to say; one that it does not know is a failure of the hook. */
    result: openObject({ decision: Decision }),
  },
} satisfies Record<string, { params: z.ZodType; result: z.ZodType }>;

export type ClientMethodName = keyof typeof clientMethods;
export type ClientMethodParams<Method extends ClientMethodName> = z.output<(typeof clientMethods)[Method]['params']>;
export type ClientMethodResult<Method extends ClientMethodName> = z.output<(typeof clientMethods)[Method]['result']>;
