import { readFile } from 'node:fs/promises';
import { localModel } from './local-model.ts';
import { measureSessions } from './measure-sessions.ts';
import { openEngine, runTurn, storeIn } from './open-engine.ts';

await using engine = openEngine({
  model: localModel(),
  store: storeIn(process.argv[3]),
  read: (path) => readFile(path, 'utf8'),
});

await measureSessions({
  count: Number(process.argv[2]),
  runSession: (index) => runTurn(engine, `What does note ${index} say?`),
});
