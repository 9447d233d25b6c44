import { createMoment, type OpeningMoment } from '../options/opening-moment.ts';

/** As it is when this is loaded: a test that holds the clocks of its program would hold its queries too. */
const { setImmediate: afterThisTurn } = globalThis;

/** So many queries open in one turn of the event loop. */
const AT_ONCE = 8;

let opened = 0;
let waiting: ((moment: OpeningMoment) => void)[] = [];

/**
 * When a query may open: undefined is at once. Of queries that are begun in the same moment a few open in each turn of the
 * event loop, in their order, whatever becomes of those before them. So the first requests are on their way, and answered,
 * while the last queries still have to open: a thousand at once hold less at a time, and use each other's connections. Those
 * that open in one turn look at their surroundings together, until the turn is over.
 */
export function openingTurn(): Promise<OpeningMoment> | undefined {
  if (opened === AT_ONCE) return new Promise((resolve) => waiting.push(resolve));
  if (opened === 0) afterThisTurn(nextTurn);
  opened += 1;
  return undefined;
}

function nextTurn(): void {
  const next = waiting.slice(0, AT_ONCE);
  waiting = waiting.slice(AT_ONCE);
  opened = next.length;
  if (opened === 0) return;
  const moment = createMoment();
  afterThisTurn(() => {
    moment.pass();
    nextTurn();
  });
  for (const open of next) open(moment);
}
