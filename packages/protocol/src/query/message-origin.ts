import { z } from 'zod';
import { openObject } from '../json/open-object.ts';

/** Where a user message comes from; absent means a person. */
export const SDKMessageOrigin = z.discriminatedUnion('kind', [
  openObject({ kind: z.literal('human') }),
  openObject({ kind: z.literal('channel'), server: z.string() }),
  openObject({
    kind: z.literal('peer'),
    from: z.string(),
    name: z.string().optional(),
    senderTaskId: z.string().optional(),
    body: z.string().optional(),
  }),
  openObject({ kind: z.literal('task-notification') }),
  openObject({ kind: z.literal('coordinator') }),
  openObject({ kind: z.literal('auto-continuation') }),
]);
export type SDKMessageOrigin = z.infer<typeof SDKMessageOrigin>;
