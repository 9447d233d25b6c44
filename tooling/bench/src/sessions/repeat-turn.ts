import type { EventStore } from '@rondo/runtime';

/**
 * Repeats a session's first turn until its log has so many bytes, with other IDs each time: as if the engine had run
 * them all, which would hold their whole conversation in memory.
 */
export async function repeatTurn(store: EventStore, sessionId: string, bytes: number): Promise<void> {
  const turn: string[] = [];
  let turnId = '';
  let seq = 0;
  for await (const event of store.read(sessionId)) {
    seq = event.seq;
    if (event.type === 'turn.started') turnId = event.turnId;
    if (turnId !== '') turn.push(JSON.stringify(event));
  }
  const log = await store.acquire(sessionId);
  let written = turn.join('').length;
  for (let copy = 1; written < bytes; copy += 1) {
    const events = turn.map((json) => {
      seq += 1;
      const id = `${sessionId}:${seq}`;
      const event = { ...JSON.parse(withOtherIds(json, sessionId, copy)), seq, id };
      if (event.type === 'turn.ended') event.record.cursor = id;
      return { event, json: JSON.stringify(event) };
    });
    for (const { json } of events) written += json.length;
    await log.append(events);
  }
  await log.release();
  await store.close();
}

/** Turns, entries and calls are named by UUIDs; so is the session, which stays. */
function withOtherIds(json: string, sessionId: string, copy: number): string {
  return json.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) =>
    id === sessionId ? id : id.slice(0, -8) + String(copy).padStart(8, '0'),
  );
}
