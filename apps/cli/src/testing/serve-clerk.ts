import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { connect, type Client } from '@rondo/client';
import { webSocketChannel } from '@rondo/client/node';
import { type RondoProcess, spawnRondo, type Workplace } from './spawn-rondo.ts';

const source = (path: string): string => pathToFileURL(join(import.meta.dirname, '../../../../packages', path)).href;

/** Says back what it is told; told "charge", asks to use its tool; told "think", says one word and stops there. */
const clerk = `
import { Agent, defineTool } from '${source('sdk/src/agent.ts')}';
import { call, say, scriptedModel, stall } from '${source('runtime/src/testing/index.ts')}';
const charge = defineTool({ name: 'charge', description: 'x', input: { type: 'object' }, run: () => 'charged' });
function reply(last) {
  const text = last.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join();
  if (last.some((block) => block.type === 'tool_result')) return say('Charged.');
  if (text === 'charge') return call('charge');
  return text === 'think' ? [say('Hm, let me see'), stall()] : say('You said: ' + text);
}
const model = {
  name: 'scripted/model',
  stream: (request, options) => scriptedModel([reply(request.messages.at(-1).content)]).stream(request, options),
};
export default new Agent({ name: 'clerk', model, tools: [charge], permissionMode: 'ask' });
`;

/** A folder with the clerk's module in it. */
export function clerkFolder({ project }: Workplace): string {
  const folder = join(project, 'agents');
  mkdirSync(folder);
  writeFileSync(join(folder, 'clerk.mjs'), clerk);
  return folder;
}

/** `rondo serve` at work. */
export interface Serving extends RondoProcess {
  readonly url: string;
  readonly tokenFile: string;
  /** A client with all rights. */
  connect(): Promise<Client>;
}

/** Resolves once it listens. */
export async function serveRondo(place: Workplace, ...argv: string[]): Promise<Serving> {
  const rondo = spawnRondo(['serve', ...argv], { cwd: place.project, env: place.env({}) });
  let stdout = '';
  await new Promise<void>((resolve, reject) => {
    rondo.child.stdout?.on('data', (piece: string) => {
      stdout += piece;
      if (stdout.includes('Serving ')) resolve();
    });
    void rondo.exit.then(({ stderr }) => reject(new Error(stderr)));
  });
  const [, url = ''] = /^Listening on (\S+)$/m.exec(stdout) ?? [];
  const [, tokenFile = ''] = /^Token in (\S+)$/m.exec(stdout) ?? [];
  return {
    ...rondo,
    url,
    tokenFile,
    async connect() {
      const token = (await readFile(tokenFile, 'utf8')).trim();
      return connect(({ signal }) => webSocketChannel(`${url.replace('http', 'ws')}/ws`, { token, signal }));
    },
  };
}
