import { StringDecoder } from 'node:string_decoder';
import type { SpawnedProcess } from './spawned-process.ts';

/** Of what a process says to a person, this much of the end is kept for its error. */
const mostCharacters = 16 * 1024;

/** Hands on what the process says to a person, characters whole, and keeps the end of it. */
export function keepStderr({ stderr }: SpawnedProcess, hear: ((data: string) => void) | undefined): () => string {
  let kept = '';
  const decoder = new StringDecoder('utf8');
  stderr?.on('data', (chunk: Buffer | string) => {
    const text = typeof chunk === 'string' ? chunk : decoder.write(chunk);
    if (text === '') return;
    kept = (kept + text).slice(-mostCharacters);
    hear?.(text);
  });
  stderr?.on('error', () => {});
  return () => kept;
}
