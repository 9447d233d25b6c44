import type { BindingRecord, MessageEntry, MethodResult, TurnLimits } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { EventDraft } from '../event/event-draft.ts';
import type { KeyedSend, QueuedMessage, SessionState } from '../event/session-state.ts';
import type { Binding } from '../turn/binding.ts';
import type { customizedBinding } from './customized-binding.ts';
import { keyedBefore, keyFields, type TurnMessage } from './keyed-send.ts';
import type { OneAtATime } from './one-at-a-time.ts';
import { notStartedNotice } from './session-notices.ts';
import type { SessionServices } from './session-services.ts';
import type { SessionWriter } from './tree-writer.ts';

export interface TurnIntakeOptions {
  readonly services: Pick<SessionServices, 'newId' | 'sha256'>;
  readonly state: SessionState;
  readonly writer: SessionWriter;
  /** What a start decides on must still be so when it emits. */
  readonly exclusively: OneAtATime;
  /** Why nothing can be said in the session, if so. */
  readonly refusal: () => Error | undefined;
  readonly useBinding: (binding: Binding, customized?: Binding) => void;
  readonly customized: typeof customizedBinding;
  /** What the session was used with last, which is what waiting messages are started with. */
  readonly lastBinding: () => Binding | undefined;
  readonly recordOf: (binding: Binding) => BindingRecord;
  /** Sets a turn going that has just been started. */
  readonly run: (turnId: string, binding: Binding) => void;
}

/** How messages get into a session: each is durable when it is answered, and is in one turn, once. */
export interface TurnIntake {
  startTurn(message: TurnMessage, binding: Binding): Promise<MethodResult<'turn/start'>>;
  sendMessage(
    message: TurnMessage,
    delivery: QueuedMessage['delivery'],
    binding: Binding,
  ): Promise<MethodResult<'turn/send'>>;
  steer(turnId: string, message: TurnMessage): Promise<MethodResult<'turn/steer'>>;
  /** The turn that was started with what waits, if one was. Call it exclusively. */
  startQueued(): Promise<string | undefined>;
}

export function createTurnIntake(options: TurnIntakeOptions): TurnIntake {
  const { state, writer, exclusively } = options;
  const { newId, sha256 } = options.services;

  function assertUsable(): void {
    const refusal = options.refusal();
    if (refusal !== undefined) throw refusal;
  }

  /** Starts the turn of the messages that waited for the last one to end. If that fails they wait for the next start. */
  async function startQueued(): Promise<string | undefined> {
    const first = state.queue[0];
    const binding = options.lastBinding();
    if (first === undefined || binding === undefined || state.active !== undefined) return undefined;
    if (options.refusal() !== undefined) return undefined;
    const together =
      first.delivery === 'later' ? [first] : state.queue.filter((message) => message.delivery !== 'later');
    try {
      const limits = together.findLast((message) => message.limits !== undefined)?.limits;
      return await begin(together.map(entryDraft), {}, binding, limits);
    } catch (error) {
      writer.emit([notStartedNotice(error)]);
      return undefined;
    }
  }

  function entryDraft(
    message: Pick<QueuedMessage, 'content' | 'messageId' | 'origin'>,
  ): (turnId: string) => EventDraft {
    const { messageId, origin } = message;
    const entry: MessageEntry = {
      type: 'message',
      id: newId(),
      role: 'user',
      messageId,
      content: [...message.content],
      ...(origin === undefined ? {} : { origin }),
    };
    return (turnId) => ({ type: 'entry.completed', turnId, entry });
  }

  /** Emits the start of a turn and sets it going; resolves when the start is durable. */
  async function begin(
    messages: readonly ((turnId: string) => EventDraft)[],
    keyed: ReturnType<typeof keyFields> & { readonly messageId?: string },
    binding: Binding,
    given: TurnLimits | undefined,
  ): Promise<string> {
    const { customization } = state;
    const customized = await options.customized((await binding.forTurn?.()) ?? binding, customization);
    const limits = limitsOf(customized, given);
    options.useBinding(binding, customized);
    const environment = await customized.environment?.();
    assertUsable();
    const turnId = newId();
    const drafts: EventDraft[] = [
      {
        type: 'turn.started',
        turnId,
        binding: options.recordOf(customized),
        ...keyed,
        ...(limits === undefined ? {} : { limits }),
        ...(customization === undefined ? {} : { customization }),
      },
    ];
    if (environment !== undefined && environment !== '' && environment !== state.environment) {
      const content = [{ type: 'text' as const, text: environment }];
      drafts.push({
        type: 'entry.completed',
        turnId,
        entry: { type: 'message', id: newId(), role: 'context', kind: 'environment', content },
      });
    }
    drafts.push(...messages.map((message) => message(turnId)));
    for (const message of customized.notices ?? []) drafts.push({ type: 'notice', turnId, level: 'warning', message });
    const { committed } = writer.emit(drafts);
    options.run(turnId, customized);
    await committed;
    return turnId;
  }

  async function startTurn(message: TurnMessage, binding: Binding): Promise<MethodResult<'turn/start'>> {
    return await exclusively(async () => {
      assertUsable();
      const before = keyedBefore(state, message, sha256);
      const waits = before !== undefined && state.queue.some(({ messageId }) => messageId === before.messageId);
      if (before?.turnId !== undefined && !waits) {
        await writer.flushed();
        return { type: 'started', turnId: before.turnId, started: before.started, messageId: before.messageId };
      }
      if (state.active !== undefined) return { type: 'busy', turnId: state.active.turnId };
      const waiting = state.queue.map(entryDraft);
      if (waits) {
        const turnId = await begin(waiting, {}, binding, message.limits);
        return { type: 'started', turnId, started: before.started, messageId: before.messageId };
      }
      const messageId = message.messageId ?? newId();
      const { content, origin } = message;
      const own = entryDraft({ content, messageId, ...(origin === undefined ? {} : { origin }) });
      const keyed = message.idempotencyKey === undefined ? {} : { ...keyFields(message, sha256), messageId };
      const turnId = await begin([...waiting, own], keyed, binding, message.limits);
      return { type: 'started', turnId, started: true, messageId };
    });
  }

  async function enqueue(message: TurnMessage, delivery: QueuedMessage['delivery']): Promise<string> {
    const messageId = message.messageId ?? newId();
    const turnId = delivery === 'join' ? state.active?.turnId : undefined;
    const { committed } = writer.emit([
      {
        type: 'message.queued',
        messageId,
        delivery,
        content: [...message.content],
        ...(message.origin === undefined ? {} : { origin: message.origin }),
        ...(message.limits === undefined ? {} : { limits: message.limits }),
        ...keyFields(message, sha256),
        ...(turnId === undefined ? {} : { turnId }),
      },
    ]);
    await committed;
    return messageId;
  }

  /** Whoever speaks as a turn has just ended comes behind what was to have a turn of its own by then. */
  function hasToWait(): boolean {
    return state.active !== undefined || state.queue.some((message) => message.delivery === 'later');
  }

  async function sendMessage(
    message: TurnMessage,
    delivery: QueuedMessage['delivery'],
    binding: Binding,
  ): Promise<MethodResult<'turn/send'>> {
    const queued = await exclusively(async (): Promise<MethodResult<'turn/send'> | undefined> => {
      assertUsable();
      const before = keyedBefore(state, message, sha256);
      if (before !== undefined) return acceptedBefore(before);
      if (hasToWait() && message.limits !== undefined)
        limitsOf(await options.customized(binding, state.customization), message.limits);
      // Meanwhile the session may have ended.
      assertUsable();
      if (!hasToWait()) return undefined;
      const joined = delivery === 'join' ? state.active?.turnId : undefined;
      options.useBinding(binding);
      const messageId = await enqueue(message, delivery);
      return { type: 'accepted', messageId, started: false, ...(joined === undefined ? {} : { turnId: joined }) };
    });
    if (queued !== undefined) {
      if (state.active !== undefined || state.queue.length === 0) return queued;
      await exclusively(startQueued);
      const known = keyedBefore(state, message, sha256);
      return known === undefined ? queued : acceptedBefore(known);
    }
    const outcome = await startTurn(message, binding);
    if (outcome.type === 'started')
      return { type: 'accepted', messageId: outcome.messageId, turnId: outcome.turnId, started: true };
    return await sendMessage(message, delivery, binding);
  }

  async function steer(turnId: string, message: TurnMessage): Promise<MethodResult<'turn/steer'>> {
    assertUsable();
    const before = keyedBefore(state, message, sha256);
    if (before !== undefined) {
      await writer.flushed();
      return { type: 'accepted', turnId: before.turnId ?? turnId };
    }
    if (state.active?.turnId !== turnId) {
      return { type: 'conflict', ...(state.active === undefined ? {} : { turnId: state.active.turnId }) };
    }
    await enqueue(message, 'join');
    return { type: 'accepted', turnId };
  }

  return { startTurn, sendMessage, steer, startQueued };
}

function acceptedBefore({ messageId, started, turnId }: KeyedSend): MethodResult<'turn/send'> {
  return { type: 'accepted', messageId, started, ...(turnId === undefined ? {} : { turnId }) };
}

/** What a turn is limited to. @throws RondoError `input.invalid` for a limit that could not be kept. */
function limitsOf(binding: Binding, given: TurnLimits | undefined): TurnLimits | undefined {
  const limits = binding.limits === undefined ? given : { ...binding.limits, ...given };
  if (limits?.maxBudgetUsd === undefined || binding.model.price !== undefined) return limits;
  throw new RondoError(
    'input.invalid',
    `a budget cannot be kept with ${binding.model.name}: its price is not known. Leave the budget out, limit the turns instead, or give the model's price`,
  );
}
