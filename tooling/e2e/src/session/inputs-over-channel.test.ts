import { createMemoryStore, defineSessionInput, defineTool, type LoopHook, type Tool } from '@rondo/runtime';
import { call, say } from '@rondo/runtime/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { stage } from './session-stage.ts';
import { wires } from './wires.ts';

const marker = 'hush-4711';
const Ticket = defineSessionInput('acme.ticket', z.object({ repo: z.string(), open: z.boolean().default(true) }));
const value = { repo: marker };

/** What a tool and a hook read of the inputs, and what the tool was called with. */
function readers(input: typeof Ticket = Ticket) {
  const read: unknown[] = [];
  const comment: Tool = defineTool({
    name: 'comment',
    description: 'Comments.',
    effect: 'none',
    input: z.looseObject({ text: z.string() }),
    inputs: { ticket: input },
    run(args, { inputs }) {
      read.push({ args, ticket: inputs.ticket });
      return 'commented';
    },
  });
  const plain: Tool = defineTool({
    name: 'plain',
    description: 'Reads no input.',
    effect: 'none',
    input: z.object({}),
    run: () => 'plain has run',
  });
  const hook: LoopHook = {
    name: 'reading',
    inputs: { ticket: input },
    preAgentTurn: (context) => void read.push({ hook: context.inputs['ticket'] }),
  };
  return { read, tools: [comment, plain], hooks: [hook] };
}

const options = ({ tools, hooks }: ReturnType<typeof readers>) => ({
  tools,
  hooks,
  policy: { tools, allowedTools: tools.map(({ name }) => name) },
});

describe.each(wires)('over $name', (wire) => {
  test('input.passedAtStart, input.readBy.tool, input.readBy.hook: what the session was started with is what they read', async () => {
    const reading = readers();
    await using at = await stage(wire, [call('comment', { text: 'hi' }), say('done')], options(reading));
    const session = await at.client.createSession({ bindingId: at.bindingId, inputs: { 'acme.ticket': value } });
    expect(await session.run('go')).toMatchObject({ type: 'completed' });
    const ticket = { repo: marker, open: true };
    expect(reading.read).toEqual([{ hook: ticket }, { args: { text: 'hi' }, ticket }]);
    expect(JSON.stringify(at.model.requests[0]?.tools)).not.toContain('ticket');
  });

  test('input.neverSeenByModel, input.depends.marksParameter, input.inputId.notPartOfValue: the model neither sees it nor fills it', async () => {
    const reading = readers();
    const forged = { text: 'hi', ticket: { repo: 'forged' }, inputs: { ticket: 'forged' } };
    await using at = await stage(wire, [call('comment', forged), say('done')], options(reading));
    const session = await at.client.createSession({ bindingId: at.bindingId, inputs: { 'acme.ticket': value } });
    await session.run('go');
    expect(reading.read.at(-1)).toEqual({ args: forged, ticket: { repo: marker, open: true } });
    expect(JSON.stringify(at.model.requests)).not.toContain(marker);
    expect(at.model.requests[0]?.tools.map(({ inputSchema }) => Object.keys(inputSchema['properties'] ?? {}))).toEqual([
      ['text'],
      [],
    ]);
    const { events } = await at.client.request('events/read', { sessionId: session.id });
    expect(events[0]).toMatchObject({ type: 'session.created', inputs: { 'acme.ticket': value } });
    expect(JSON.stringify(events.slice(1))).not.toContain(marker);
  });

  test('input.validator.checkedAtUse, input.validator.rejectionFailsThatUse, input.validator.messageTravels: a rule fails the call that reads the value, by its message', async () => {
    const Strict = defineSessionInput(
      'acme.ticket',
      z
        .object({
          repo: z.string().refine((repo) => repo.includes('/'), 'must be owner/name'),
          open: z.boolean().default(true),
        })
        .refine(({ repo }) => repo !== marker, `must not be ${marker}`),
    );
    const { tools } = readers(Strict);
    const steps = [[call('comment', { text: 'hi' }), call('plain')], say('done')];
    await using at = await stage(wire, steps, options({ tools, hooks: [], read: [] }));
    const session = await at.client.createSession({ bindingId: at.bindingId, inputs: { 'acme.ticket': value } });
    expect(await session.run('go')).toMatchObject({ type: 'completed', text: 'done' });
    const told = JSON.stringify(at.model.requests[1]?.messages);
    expect(told).toContain('the session input \\"acme.ticket\\" does not fit: repo: must be owner/name');
    expect(told).toContain('plain has run');
    const { events } = await at.client.request('events/read', { sessionId: session.id });
    expect(JSON.stringify([...at.model.requests, ...events.slice(1)])).not.toContain(marker);
    const outcomes = events.flatMap((event) => (event.type === 'tool.completed' ? [event.outcome] : []));
    expect(outcomes).toEqual(['error', 'success']);
  });

  test('input.keptForSessionLife, input.inputId.stableLookup: another process, whose definition has another name and takes more, reads it', async () => {
    const store = createMemoryStore();
    const inputs = { 'acme.ticket': value };
    let sessionId = '';
    {
      await using at = await stage(wire, [say('one')], { ...options(readers()), store });
      const session = await at.client.createSession({ bindingId: at.bindingId, inputs });
      sessionId = session.id;
      await session.run('first');
    }
    const Renamed = defineSessionInput(
      'acme.ticket',
      z.object({ repo: z.string(), open: z.boolean().default(false), owner: z.string().optional() }),
    );
    const reading = readers(Renamed as unknown as typeof Ticket);
    await using at = await stage(wire, [call('comment', { text: 'hi' }), say('two')], { ...options(reading), store });
    await at.client.openSession(sessionId, { bindingId: at.bindingId, unfinished: 'settle' });
    await at.client.session(sessionId, { bindingId: at.bindingId }).run('second');
    expect(reading.read.at(-1)).toMatchObject({ ticket: { repo: marker, open: false } });
    const fork = await at.client.forkSession(sessionId, { bindingId: at.bindingId });
    const { events } = await at.client.request('events/read', { sessionId: fork.id, limit: 1 });
    expect(events[0]).toMatchObject({ inputs });
  });

  test('what is missing, misshapen or nobody’s keeps the session from starting, and no error holds the value', async () => {
    await using at = await stage(wire, [], options(readers()));
    const start = async (inputs?: Record<string, unknown>) => {
      const params = {
        bindingId: at.bindingId,
        ...(inputs === undefined ? {} : { inputs: inputs as { [id: string]: string } }),
      };
      try {
        await at.client.createSession(params);
      } catch (error) {
        expect(JSON.stringify(error) + String(error)).not.toContain(marker);
        expect(error).toMatchObject({ code: 'input.invalid' });
        return String(error);
      }
      return 'started';
    };
    expect(await start()).toContain('the session input "acme.ticket" is missing');
    expect(await start({ 'acme.ticket': { repo: marker }, other: marker })).toContain(
      'declares the session input "other"; declared are acme.ticket',
    );
    expect(await start({ 'acme.ticket': { repo: 7, open: marker } })).toContain(
      '"acme.ticket" does not fit its schema at repo',
    );
    expect(await start({ 'acme.ticket': marker })).toContain('"acme.ticket" does not fit its schema');
    expect((await at.client.request('session/list', {})).sessions).toEqual([]);
  });
});
