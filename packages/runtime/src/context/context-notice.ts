import type { QuarantinedBlock } from '../event/quarantine-notice.ts';

/** A block that is not sent as it was stored. Reported when it is first left out, once a builder and model. */
export interface ContextNotice extends QuarantinedBlock {
  /** What was left out: `image (image/png, 81120 bytes)`. */
  readonly what: string;
  readonly reason: string;
}
