import { z } from 'zod';

/**
 * An object schema that keeps fields it does not know when it reads, while its inferred type stays exact for whoever
 * writes: a newer peer is never refused, a typo in our own code does not compile.
 */
export function openObject<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodObject<Shape, z.core.$strip> {
  return z.looseObject(shape) as unknown as z.ZodObject<Shape, z.core.$strip>;
}
