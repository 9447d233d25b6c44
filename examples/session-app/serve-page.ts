// Serves the page, bundled for a browser, from the machine itself.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

export interface ServedPage extends AsyncDisposable {
  /** Of the page's folder, without a slash behind it. */
  readonly origin: string;
  /** Where the page is to look. Say it before the page is opened. */
  connectTo(place: { readonly url: string; readonly token: string; readonly agent: string }): void;
}

export async function servePage(): Promise<ServedPage> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'page.ts')],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['@rondo/source'],
    write: false,
  });
  const html = await readFile(join(import.meta.dirname, 'index.html'));
  let place = '';
  const files: Readonly<Record<string, () => readonly [type: string, body: string | Uint8Array]>> = {
    '/': () => ['text/html', html],
    '/page.js': () => ['text/javascript', outputFiles[0]?.contents ?? ''],
    '/place.js': () => ['text/javascript', place],
  };
  const server = createServer((request, response) => {
    const file = files[request.url ?? ''];
    if (file === undefined) return void response.writeHead(404).end();
    const [type, body] = file();
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connectTo(given) {
      place = `window.rondo = ${JSON.stringify(given)};`;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
