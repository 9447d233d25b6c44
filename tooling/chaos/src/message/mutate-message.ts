import { byteMutations, type Mutation } from '../stream/mutate-bytes.ts';
import { jsonMutations } from '../stream/mutate-json.ts';
import type { Random } from '../stream/random.ts';

const PREFIX = 'data: ';

/** Those of values work on the `data:` lines of event streams: a message is lent one. */
const onValues = Object.values(jsonMutations).map(
  (mutate): Mutation =>
    (bytes, random) =>
      mutate(Buffer.concat([Buffer.from(PREFIX), bytes]), random).subarray(PREFIX.length),
);
const onBytes = Object.values(byteMutations);

/** The message with up to three things done to it, as one line of text. */
export function mutateMessage(message: object, random: Random): string {
  let bytes: Buffer = Buffer.from(JSON.stringify(message));
  for (let count = random.below(4); count > 0 && bytes.length > 0; count -= 1) {
    // Mostly values: damaged bytes are no JSON, and go no deeper.
    bytes = random.pick(random.below(3) === 0 ? onBytes : onValues)(bytes, random);
  }
  return bytes.toString('utf8').replaceAll('\n', ' ');
}
