import { controlError } from './control-requests.ts';
import { type Frame, isFrame } from './read-frames.ts';

/** Takes what the client asks, and sees to it that each request has one answer. */
export interface ControlDesk {
  take(frame: Frame): void;
  /** The client wants no answer any more. */
  cancel(id: unknown): void;
  /** Resolves when the answers are out that have to stand before the lines of what they bring about. */
  released(): Promise<void>;
  /** Resolves when nothing waits for an answer. */
  settled(): Promise<void>;
}

export interface ControlDeskOptions {
  readonly write: (frame: object) => Promise<void>;
  /** What stands in a success beside its subtype and ID. What it throws is the answer of a failure. */
  readonly answer: (subtype: string, fields: Frame) => Promise<object>;
}

interface Asked {
  readonly id: string;
  isCancelled: boolean;
}

/** Requests whose answer comes before what they bring about: a receipt before the end of the turn, a mode before its status. */
const first: ReadonlySet<string> = new Set(['interrupt', 'set_permission_mode']);

export function createControlDesk({ write, answer }: ControlDeskOptions): ControlDesk {
  const open = new Map<Asked, Promise<void>>();
  const holds = new Set<Promise<void>>();

  async function respond(asked: Asked, subtype: string, fields: Frame): Promise<void> {
    let response: object;
    try {
      response = { subtype: 'success', request_id: asked.id, ...(await answer(subtype, fields)) };
    } catch (error) {
      response = { subtype: 'error', request_id: asked.id, ...controlError(error, subtype) };
    }
    if (!asked.isCancelled) await write({ type: 'control_response', response });
  }

  return {
    take(frame) {
      const { request_id: id, request } = frame;
      // Without an ID there is nothing to answer to.
      if (typeof id !== 'string') return;
      const { subtype, ...fields } = isFrame(request) ? request : {};
      const name = typeof subtype === 'string' ? subtype : String(JSON.stringify(subtype));
      const asked: Asked = { id, isCancelled: false };
      const done = respond(asked, name, fields).finally(() => {
        open.delete(asked);
        holds.delete(done);
      });
      open.set(asked, done);
      if (first.has(name)) holds.add(done);
    },
    cancel(id) {
      for (const asked of open.keys()) if (asked.id === id) asked.isCancelled = true;
    },
    async released() {
      while (holds.size > 0) await Promise.allSettled(holds);
    },
    async settled() {
      while (open.size > 0) await Promise.allSettled(open.values());
    },
  };
}
