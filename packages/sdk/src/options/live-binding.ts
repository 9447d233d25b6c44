import type { Binding } from '@rondo/runtime';
import { RondoError } from '@rondo/protocol/values';
import type { CountedSettings } from '../settings/counted-settings.ts';
import { changedEffort, checkFlagSettings, effortOf } from './flag-setting.ts';
import { modelRetries } from './model-retries.ts';
import type { Options } from './options.ts';
import type { QueryBinding } from './query-binding.ts';
import type { sessionHooks, SessionHooks } from './session-hooks.ts';
import type { SessionModel, SessionModels } from './session-models.ts';
import type { SessionPolicyFeed } from './session-policy-feed.ts';
import type { sessionSandboxes, SessionSandbox } from './session-sandboxes.ts';
import type { SessionSteering, Steering } from './steering.ts';
import { thinkingOf, thinkingWithin } from './thinking-of.ts';

/** What may be another from one turn to the next. */
export interface LiveParts {
  readonly model: SessionModel;
  readonly sandbox: SessionSandbox;
  readonly hooks: SessionHooks;
}

export interface LiveBindingOptions {
  readonly options: Options;
  readonly feed: SessionPolicyFeed;
  readonly first: LiveParts;
  readonly models: SessionModels;
  readonly sandboxes: ReturnType<typeof sessionSandboxes>;
  readonly hooks: ReturnType<typeof sessionHooks>;
  /** Hears what the turns from now on work with. */
  readonly onChange: (parts: LiveParts) => void;
  /** What stays as long as the session. */
  readonly fixed: Omit<Binding, 'model' | 'sandbox' | 'env'> & Pick<QueryBinding, 'livePolicy' | 'questions'>;
}

/**
 * A binding whose turns begin with the settings and the steering as they are then; a turn at work keeps what it began
 * with. Nothing is made anew that has not changed.
 */
export function createLiveBinding(live: LiveBindingOptions): QueryBinding {
  const { options, feed, models, sandboxes, hooks } = live;
  let steering: Steering = {};
  let parts = live.first;
  /** What `binding` was made of. */
  let madeOf: { readonly counted: CountedSettings; readonly steering: Steering } = {
    counted: feed.counted(),
    steering,
  };
  let last: Promise<unknown> = Promise.resolve();

  function inOrder<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  }

  /** @throws RondoError `sandbox.unavailable`: no turn begins where its commands are not shut in as they should be. */
  async function forTurn(): Promise<Binding> {
    await last;
    await feed.refresh();
    const counted = feed.counted();
    if (counted === madeOf.counted && steering === madeOf.steering) return binding;
    const made = { counted, steering };
    const [model, sandbox] = await Promise.all([modelOr(counted, parts.model), sandboxes(counted)]);
    feed.isolate(sandbox.isolation);
    parts = { model, sandbox, hooks: await hooks(counted, model, feed.live.current()) };
    madeOf = made;
    binding = bindingOf();
    live.onChange(parts);
    return binding;
  }

  /** A model that can not be loaded as the settings say now is the one before: it denies nothing to go on with it. */
  async function modelOr(counted: CountedSettings, before: SessionModel): Promise<SessionModel> {
    try {
      return await models.load(counted, steering.model);
    } catch (error) {
      const message = `The settings have changed, and the model cannot be loaded as they are now; it stays as it was: ${String(error)}`;
      feed.live.tell({ level: 'warning', message, details: { status: 'model_kept' } });
      return before;
    }
  }

  const steered: SessionSteering = {
    inOrder,
    modelName: () => steering.model?.name ?? parts.model.model.name,
    setModel: (name) =>
      inOrder(async () => {
        const chosen = chosenModel(name, 'setModel');
        const { model } = await models.load(feed.counted(), chosen);
        steering = { ...steering, model: chosen };
        return model;
      }),
    setMaxThinkingTokens: (tokens) =>
      inOrder(() => {
        const { thinking: _, ...others } = steering;
        steering = tokens === null ? others : { ...others, thinking: thinkingWithin(checkedTokens(tokens)) };
        return Promise.resolve();
      }),
    applyFlagSettings: (change) =>
      inOrder(async () => {
        checkFlagSettings(change);
        const effort = changedEffort(change);
        const { model } = change;
        const chosen = model === undefined ? undefined : chosenModel(model ?? undefined, 'applyFlagSettings');
        if (chosen?.name !== undefined) await models.load(feed.counted(), chosen);
        await feed.live.setFlag(change);
        const { effort: before, ...others } = steering;
        const next = effort === undefined ? before : effort;
        steering = {
          ...others,
          ...(next === undefined || next === null ? {} : { effort: next }),
          ...(chosen === undefined ? {} : { model: chosen }),
        };
      }),
  };

  function chosenModel(name: string | undefined, method: string): { readonly name?: string } {
    if (options.record !== undefined)
      throw invalid(method, 'cannot change the model of a query that is recorded (options.record)');
    if (name === undefined) return {};
    if (typeof name === 'string' && name.trim() !== '') return { name };
    throw invalid(method, `takes the name of a model, not ${JSON.stringify(name)}`);
  }

  function bindingOf(): QueryBinding {
    const { model, access } = parts.model;
    const retry = modelRetries(access.env);
    const { settings } = feed.counted();
    const { effort = options.effort ?? effortOf(settings) } = steering;
    const { env, eventHooks } = parts.hooks;
    return {
      ...live.fixed,
      model,
      sandbox: parts.sandbox.sandbox,
      env,
      ...(eventHooks.length === 0 ? {} : { eventHooks }),
      secrets: access.secrets,
      ...(retry === undefined ? {} : { retry }),
      ...thinkingOf(steering, options, settings),
      ...(effort === undefined ? {} : { effort }),
      forTurn,
      steering: steered,
      close: models.close,
    };
  }

  let binding = bindingOf();
  return binding;
}

function checkedTokens(tokens: unknown): number {
  if (typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0) return tokens;
  throw invalid('setMaxThinkingTokens', `takes a whole number from 0, or null, not ${JSON.stringify(tokens)}`);
}

function invalid(method: string, problem: string): RondoError {
  return new RondoError('input.invalid', `query.${method}() ${problem}.`, { details: { method } });
}
