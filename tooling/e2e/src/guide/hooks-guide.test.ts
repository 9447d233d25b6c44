import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Agent, defineSessionInput, defineTool } from '@rondo/sdk/agent';
import { call, say, scriptedModel } from '@rondo/runtime/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createPlace } from '../harness/place.ts';
import { guideBlocks } from './guide-blocks.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const pageOf = (name: string) => readFileSync(join(root, 'docs', 'guides', name), 'utf8');
const page = pageOf('hooks.md');
const programs = ['hooks.md', 'sdk.md', 'structured-output.md'].flatMap((name) =>
  guideBlocks(pageOf(name))
    .filter(({ language, run }) => language === 'ts' && run)
    .map(({ line, text }) => [name, line, text] as const),
);

test.each(programs)('the program of %s in line %i runs', async (_name, line, text) => {
  using place = createPlace();
  symlinkSync(join(root, 'tooling', 'e2e', 'node_modules'), join(place.project, 'node_modules'));
  const file = join(place.project, `program-${line}.ts`);
  writeFileSync(file, text);
  const run = promisify(execFile)(process.execPath, ['--conditions=@rondo/source', file], { env: place.env() });
  expect(await run).toEqual({ stdout: '', stderr: '' });
});

function agentWith(schema: z.ZodType<{ readonly repo: string }>, home: string) {
  const Ticket = defineSessionInput('acme.ticket', schema);
  const comment = defineTool({
    name: 'comment',
    description: 'Comments.',
    input: z.object({}),
    inputs: { ticket: Ticket },
    run: (_args, { inputs }) => `commented on ${inputs.ticket.repo}`,
  });
  const model = scriptedModel([call('comment'), say('done')]);
  return { model, agent: new Agent({ model, tools: [comment], home, env: {} }) };
}

test('input.noCredentials.documentation: the guide warns of credentials, and nothing refuses one', async () => {
  expect(page).toContain('Never put a credential in a session input.');
  expect(page).toContain('keeps it for its whole life');
  using place = createPlace();
  const { agent, model } = agentWith(z.object({ repo: z.string() }), place.home);
  await using _ = agent;
  const session = await agent.startSession({ sessionInputs: { 'acme.ticket': { repo: 'ghp_0123456789abcdef' } } });
  expect(await session.run('go')).toMatchObject({ type: 'completed' });
  expect(JSON.stringify(model.requests[1])).toContain('commented on');
});

test('input.compatibility.documentation: the guide tells the author’s duty, and a refused stored value fails where it is used', async () => {
  expect(page).toContain('must go on accepting every value that the one before it accepted');
  using place = createPlace();
  const before = agentWith(z.object({ repo: z.string() }), place.home);
  const session = await before.agent.startSession({ sessionInputs: { 'acme.ticket': { repo: 'shop-4711' } } });
  await before.agent.close();
  const after = agentWith(z.object({ repo: z.string().startsWith('acme/') }), place.home);
  await using _ = after.agent;
  expect(await after.agent.session(session.id).run('go')).toMatchObject({ type: 'completed' });
  const told = JSON.stringify(after.model.requests[1]?.messages);
  expect(told).toContain('the session input \\"acme.ticket\\" does not fit: repo');
  expect(told).not.toContain('shop-4711');
});
