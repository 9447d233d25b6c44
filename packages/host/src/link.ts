import type { Frame } from '@rondo/protocol';

/** The host's end of a connection. */
export interface Link {
  /** Sends the frame, or drops it when nobody can receive it any more. */
  send(frame: Frame): void;
  /** Undefined while the other end keeps up; else resolves when it has caught up, or has gone. */
  room(): Promise<void> | undefined;
  /** How many frames are sent and not yet on their way. */
  unwritten(): number;
  /** How many events one frame may hold. */
  readonly mostEvents: number;
}
