// What anyone would write by hand to see the newest fifty of many logs: a stat of each, and the first line of those.
// `list-logs.mjs HOME`
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';

const sessions = join(process.argv[2], 'sessions');
const logs = readdirSync(sessions).map((id) => {
  const path = join(sessions, id, 'log.jsonl');
  return { id, path, changed: statSync(path).mtimeMs };
});
logs.sort((one, other) => other.changed - one.changed);
const bytes = Buffer.alloc(64 * 1024);
for (const { id, path } of logs.slice(0, 50)) {
  const file = openSync(path, 'r');
  const [, created = '{}'] = bytes.toString('utf8', 0, readSync(file, bytes)).split('\n');
  closeSync(file);
  process.stdout.write(`${id} ${JSON.parse(created).binding?.cwd}\n`);
}
