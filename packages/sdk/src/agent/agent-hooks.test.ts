import { call, say, scriptedModel, type ScriptedStep } from '@rondo/runtime/testing';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import {
  Agent,
  accept,
  continueWith,
  defineSessionInput,
  defineTool,
  Hook,
  reject,
  skip,
  type HookContext,
  type InputValues,
  type LoopHook,
  type PostLlmCall,
  type PreToolCall,
} from '../agent.ts';
import type { AgentOptions } from './agent-options.ts';

const Ticket = defineSessionInput('acme.ticket', z.object({ repo: z.string(), open: z.boolean().default(true) }));

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  effect: 'none',
  input: z.object({ n: z.number() }),
  inputs: { ticket: Ticket },
  run({ n }, { inputs }) {
    expectTypeOf(inputs.ticket).toEqualTypeOf<{ repo: string; open: boolean }>();
    return `${n} in ${inputs.ticket.repo}`;
  },
});

function setUp(steps: readonly ScriptedStep[], more: Partial<AgentOptions> = {}) {
  const model = scriptedModel(steps);
  return { model, agent: new Agent({ model, tools: [look], store: 'memory', env: {}, ...more }) };
}

const sessionInputs = [Ticket.value({ repo: 'acme/shop' })];

describe('a hook', () => {
  test('is a class with the points that it has something to say at, or a plain object', async () => {
    const seen: string[] = [];
    class Watching extends Hook {
      override preToolCall(_context: HookContext, { toolId, arguments: args }: PreToolCall) {
        seen.push(`${this.name} ${toolId} ${JSON.stringify(args)}`);
        return continueWith({ arguments: { n: 2 } });
      }
      override postLlmCall(_context: HookContext, { text }: PostLlmCall) {
        return text === 'never' ? reject('no') : accept();
      }
    }
    const plain: LoopHook = {
      name: 'plain',
      preToolCall: (_context, { arguments: args }) => void seen.push(JSON.stringify(args)),
    };
    const { agent, model } = setUp([call('look', { n: 1 }), say('done')], {
      hooks: [plain],
      guardrails: [new Watching()],
    });
    await using _ = agent;
    expect(await agent.run('go', { sessionInputs })).toMatchObject({ type: 'completed', text: 'done' });
    expect(seen).toEqual(['Watching client.look {"n":1}', '{"n":2}']);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('2 in acme/shop');
  });

  test('that cannot work is refused when the agent is made', () => {
    const make = (options: object) => () => new Agent({ model: 'x', ...options } as AgentOptions);
    class Named extends Hook {
      override preLlmCall() {}
    }
    expect(make({ hooks: [new Hook()] })).toThrow(/hooks\[0\] \("Hook"\) has none of the functions preAgentTurn/);
    expect(make({ hooks: [{ preLlmCall() {} }] })).toThrow(/hooks\[0\] has no name/);
    expect(make({ hooks: [new Named()], guardrails: [new Named()] })).toThrow(/there is another hook "Named"/);
    expect(make({ hooks: [{ name: 'x', preLlmCall() {}, timeoutMs: 0 }] })).toThrow(/timeoutMs is 0/);
    expect(make({ hooks: [{ name: 'x', preLlmCall() {}, inputs: { ticket: {} } }] })).toThrow(/inputs.ticket is none/);
    const bringing = (tools: readonly unknown[]) => ({ name: 'x', preLlmCall() {}, tools });
    expect(make({ hooks: [bringing([{}])] })).toThrow(/tools of the hook "x"\[0\] is no tool/);
    const note = defineTool({ name: 'note', description: 'd', input: { type: 'object' }, run: () => 'ok' });
    expect(make({ tools: [note], hooks: [bringing([note])] })).toThrow(/there is another tool note/);
    expect(make({ hookRetries: -1 })).toThrow(/hookRetries is -1/);
    expect(make({ maxDurationMs: 1.5 })).toThrow(/maxDurationMs is 1.5/);
    expect(make({ maxBudgetUsd: 0 })).toThrow(/maxBudgetUsd is 0/);
  });

  test('of the wrong kind of decision is refused by the compiler', () => {
    const hook = {
      name: 'wrong',
      // @ts-expect-error a reply is accepted, retried or rejected
      postLlmCall: () => skip('no'),
    } satisfies LoopHook;
    expect(hook.name).toBe('wrong');
  });
});

describe('a session input', () => {
  test('input.definition.fieldsAndInputId: has its fields and an ID, which the compiler asks for', () => {
    expect(Ticket.inputId).toBe('acme.ticket');
    expect(Ticket.value({ repo: 'a' })).toEqual({ inputId: 'acme.ticket', value: { repo: 'a' } });
    // @ts-expect-error the fields are those of the definition
    Ticket.value({ rep: 'a' });
    // @ts-expect-error an input has an ID
    expect(() => defineSessionInput(z.object({ repo: z.string() }))).toThrow(/needs an inputId/);
    expect(() => defineSessionInput(' ', z.string())).toThrow(/needs an inputId/);
    expect(() => Ticket.value(undefined as never)).toThrow('session input acme.ticket: the value must be JSON');
  });

  test('input.depends.declaredClassOnce: tool and hook name the one definition, and read the same, with its type', async () => {
    const read: unknown[] = [];
    const inputs = { ticket: Ticket };
    class Reading extends Hook {
      override readonly inputs = inputs;
      override preAgentTurn(context: HookContext<typeof inputs>) {
        expectTypeOf(context.inputs).toEqualTypeOf<InputValues<typeof inputs>>();
        expectTypeOf(context.inputs.ticket.open).toEqualTypeOf<boolean>();
        read.push(context.inputs.ticket);
      }
    }
    const { agent, model } = setUp([call('look', { n: 1 }), say('done')], { hooks: [new Reading()] });
    await using _ = agent;
    await agent.run('go', { sessionInputs });
    expect(read).toEqual([{ repo: 'acme/shop', open: true }]);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('1 in acme/shop');

    const Other = defineSessionInput('acme.ticket', z.object({ repo: z.string() }));
    const other: LoopHook = { name: 'other', inputs: { ticket: Other }, preAgentTurn: () => undefined };
    expect(() => setUp([], { hooks: [other] })).toThrow(/other has another definition of the session input/);
  });

  test('is given as a list of values or by ID; what is wrong with it is told without the value', async () => {
    const { agent } = setUp([call('look', { n: 1 }), say('done')]);
    await using _ = agent;
    const session = await agent.startSession({ sessionInputs: { 'acme.ticket': { repo: 'acme/shop' } } });
    expect(await session.run('go')).toMatchObject({ type: 'completed' });
    const [value] = sessionInputs;
    if (value === undefined) throw new Error('no value');
    await expect(agent.startSession({ sessionInputs: [value, value] })).rejects.toThrow(/two values for "acme.ticket"/);
    await expect(agent.startSession({ sessionInputs: { other: value } })).rejects.toThrow(
      /"acme.ticket" under "other"/,
    );
    await expect(agent.startSession({ sessionInputs: [{ inputId: 'x', value: 'y' }] })).rejects.toThrow(
      /make it with the input/,
    );
    await expect(agent.startSession()).rejects.toMatchObject({ code: 'input.invalid' });
    const missing = agent.run('go');
    await expect(missing).rejects.toThrow('the session input "acme.ticket" is missing');
  });
});

test('the order of the tools is no part of what an agent is to its sessions', async () => {
  const other = defineTool({ name: 'another', description: 'x', input: z.object({}), run: () => 'x' });
  const { compileAgent } = await import('./compile-agent.ts');
  const fingerprint = async (tools: AgentOptions['tools'] & {}) =>
    (await compileAgent({ model: scriptedModel([]), tools }, {}, '/none')).agent.fingerprint;
  expect(await fingerprint([look, other])).toBe(await fingerprint([other, look]));
  expect(await fingerprint([look, other])).not.toBe(await fingerprint([look]));
});
