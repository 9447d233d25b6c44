// The strict model server in a process of its own: its work is nobody's CPU time. One server a kind of answer, each
// speaking every wire; their URLs are told over the process channel.
import { startModelServer, text, type Step } from '@rondo/providers/testing';
import { lastWord } from '../server/reply-bytes.ts';

const words = ['The ', 'notes ', 'say ', 'that ', 'the ', 'wind ', 'turned ', 'north ', 'before ', 'dawn, '];

function answer(deltas: number): Step {
  const pieces = Array.from({ length: deltas - 1 }, (_, index) => words[index % words.length] ?? '');
  return text([...pieces, lastWord]);
}

const [short, long] = await Promise.all(
  process.argv.slice(2).map((deltas) => {
    const step = answer(Number(deltas));
    return startModelServer({ script: () => step });
  }),
);
process.send?.({ short: short?.url, long: long?.url });
process.on('disconnect', () => process.exit(0));
