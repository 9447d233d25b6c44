import { z } from 'zod';
import { openObject } from '../json/open-object.ts';

/** How a session ended. */
export const Termination = openObject({
  /** `completed`, `cancelled`, `failed`, or newer. */
  type: z.string(),
  /** What went wrong, of a session that failed. */
  message: z.string().optional(),
});
export type Termination = z.infer<typeof Termination>;
