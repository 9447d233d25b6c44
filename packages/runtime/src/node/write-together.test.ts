import { RondoError } from '@rondo/protocol/values';
import { expect, test } from 'vitest';
import { createWriteTogether } from './write-together.ts';

const settled = (asked: Promise<unknown>[]): Promise<unknown[]> =>
  Promise.all(asked.map((each) => each.catch((error: Error) => error.message)));

test('what is asked for in one turn of the loop is one write, in order, and one that is refused fails alone', async () => {
  const writes: string[][] = [];
  let done: string[] = [];
  const together = createWriteTogether(async (work) => {
    done = [];
    work();
    writes.push(done);
  });
  const asked = ['a', 'b', 'c'].map((name) =>
    together(() => {
      if (name === 'b') throw new RondoError('session.in_use', 'b is in use');
      done.push(name);
      return name.toUpperCase();
    }),
  );
  expect(writes).toEqual([]);
  expect(await settled(asked)).toEqual(['A', 'b is in use', 'C']);
  expect(await together(() => done.push('d'))).toBe(1);
  expect(writes).toEqual([['a', 'c'], ['d']]);
});

test('what is asked for during a write waits for the next one, and a write that is tried again tells the last outcome', async () => {
  const order: string[] = [];
  let tries = 0;
  const together = createWriteTogether(async (work) => {
    order.push('begin');
    work();
    await Promise.resolve();
    work();
    order.push('end');
  });
  const first = together(() => {
    tries += 1;
    if (tries === 1) asked.push(together(() => order.push('second')));
    return tries;
  });
  const asked: Promise<unknown>[] = [first];
  expect(await first).toBe(2);
  await settled(asked);
  expect(order).toEqual(['begin', 'end', 'begin', 'second', 'second', 'end']);
});

test('a write that fails fails all that were together, and none that comes later', async () => {
  let fails = true;
  const together = createWriteTogether(async (work) => {
    work();
    if (fails) throw new Error('the disk is full');
  });
  const message = 'the disk is full';
  expect(await settled([together(() => 1), together(() => 2)])).toEqual([message, message]);
  const thrown = together(() => {
    throw new Error('not a database');
  });
  expect(await settled([thrown, together(() => 3)])).toEqual(['not a database', 'not a database']);
  fails = false;
  expect(await together(() => 4)).toBe(4);
});
