import { z } from 'zod';
import { AnyEvent } from './event.ts';
import { TransientEvent } from './transient-event.ts';

/** What a subscription carries: durable events, and deltas between them where they were asked for. */
export type StreamEvent = AnyEvent | TransientEvent;

const transientTypes = new Set<string>(TransientEvent.options.map((option) => option.shape.type.value));

/**
 * Events as a subscription brings them, in order. A durable event of a newer type is kept as `unknown`; a transient of
 * a newer type is left out, since it has no place of its own and its entry comes whole anyway.
 */
export const StreamEvents: z.ZodType<StreamEvent[]> = z.array(z.unknown()).transform((values, context) => {
  const events: StreamEvent[] = [];
  for (const [index, value] of values.entries()) {
    if (isNewerTransient(value)) continue;
    const result = (isTransient(value) ? TransientEvent : AnyEvent).safeParse(value);
    if (result.success) events.push(result.data);
    else addIssues(result.error, index, value, context);
  }
  return events;
});

function addIssues(error: z.ZodError, index: number, input: unknown, context: z.core.$RefinementCtx): void {
  for (const { message, path } of error.issues)
    context.issues.push({ code: 'custom', message, path: [index, ...path], input });
}

function isTransient(value: unknown): boolean {
  return isTyped(value) && transientTypes.has(value.type);
}

/** Every durable event has a `seq`, every transient an `after`, and nothing has both. */
function isNewerTransient(value: unknown): boolean {
  return isTyped(value) && !transientTypes.has(value.type) && !('seq' in value) && 'after' in value;
}

function isTyped(value: unknown): value is { type: string } {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
