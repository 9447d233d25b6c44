import { readFile } from 'node:fs/promises';
import { createStepClock } from './history-steps.ts';
import { localModel } from './local-model.ts';
import { openEngine, runTurn, storeIn } from './open-engine.ts';

const clock = createStepClock();
{
  await using engine = openEngine({
    model: localModel(),
    store: storeIn(process.argv[2]),
    read(path) {
      clock.step();
      return readFile(path, 'utf8');
    },
  });
  await runTurn(engine, 'Read all notes.');
}
clock.print();
