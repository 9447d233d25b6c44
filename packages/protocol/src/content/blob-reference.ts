import { z } from 'zod';
import { openObject } from '../json/open-object.ts';

/**
 * Content too large for a line of the log, kept beside it under its hash. The block that carries it has a preview in
 * place of the whole, or nothing. `blobs/read` serves the bytes.
 */
export const BlobReference = openObject({
  /** `sha256-` and 64 hexadecimal digits over the bytes. */
  hash: z.string().regex(/^sha256-[0-9a-f]{64}$/),
  /** Length in bytes; text is UTF-8. */
  bytes: z.number().int().nonnegative(),
});
export type BlobReference = z.infer<typeof BlobReference>;
