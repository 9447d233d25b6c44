import { createTextWriter } from './text-writer.ts';

/** Writes to standard output; resolves once all of it has left, or the reader has. */
export async function print(text: string): Promise<void> {
  const stdout = createTextWriter(process.stdout);
  await stdout.write(text);
  await stdout.flush();
}
