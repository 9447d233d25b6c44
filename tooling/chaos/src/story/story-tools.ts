import { defineTool, SPILL_BOUND, type Tool } from '@rondo/runtime';
import { countEffects, type World } from './world.ts';

const input = {
  type: 'object',
  properties: { n: { type: 'number' }, large: { type: 'boolean' } },
  required: ['n'],
  additionalProperties: false,
} as const;

/** One tool for each effect there is; what they do is counted in the world. */
export function storyTools(world: World): Tool[] {
  const look = defineTool({
    name: 'look',
    description: 'Only looks.',
    input,
    effect: 'none',
    run: ({ n, large }) => (large === true ? String(n).repeat(SPILL_BOUND) : `seen ${n}`),
  });
  const charge = defineTool({
    name: 'charge',
    description: 'Must not happen twice.',
    input,
    effect: 'once',
    run: ({ n }, { idempotencyKey }) => {
      world.add({ what: `charge ${n}`, idempotencyKey });
      return `charged ${n}`;
    },
  });
  const put = defineTool({
    name: 'put',
    description: 'May happen again under its key.',
    input,
    effect: 'idempotent',
    run: ({ n }, { idempotencyKey }) => {
      world.add({ what: `put ${n}`, idempotencyKey });
      return `put ${n}`;
    },
  });
  const patch = defineTool({
    name: 'patch',
    description: 'Finds out whether it happened.',
    input,
    effect: 'reconcile',
    prepare: async ({ n }) => ({ before: countEffects(world, `patch ${n}`) }),
    async reconcile({ n }) {
      if (countEffects(world, `patch ${n}`) === 0) return { outcome: 'not_done' };
      return { outcome: 'done', result: { content: `patched ${n}` } };
    },
    run: ({ n }, { idempotencyKey }) => {
      world.add({ what: `patch ${n}`, idempotencyKey });
      return `patched ${n}`;
    },
  });
  return [look, charge, put, patch];
}
