import { readFileSync } from 'node:fs';

/** A request as a script's `asked` writes it. */
export interface AskedRequest {
  readonly system: string;
  readonly messages: readonly { readonly user?: unknown; readonly assistant?: unknown }[];
}

/** The requests that steps wrote to the file as they came. */
export function askedRequests(file: string): AskedRequest[] {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AskedRequest);
}
