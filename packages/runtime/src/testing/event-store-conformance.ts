import { blobConformance } from './event-store-conformance-blobs.ts';
import { listConformance } from './event-store-conformance-list.ts';
import { logConformance } from './event-store-conformance-log.ts';
import { ownerConformance } from './event-store-conformance-owner.ts';
import type { ConformanceCase, StorePlace } from './conformance-case.ts';

/**
 * What every event store promises. Run each case in any test runner:
 * `for (const { name, run } of eventStoreConformance) test(name, () => run(makePlace))`.
 */
export const eventStoreConformance: readonly ConformanceCase<StorePlace>[] = [
  ...logConformance,
  ...ownerConformance,
  ...listConformance,
  ...blobConformance,
];
