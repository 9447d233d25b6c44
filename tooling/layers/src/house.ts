/** What the house looks like, as data: the rules read it, and a change of plan is a change here. */
export interface PackagePlan {
  /** Workspace packages it may depend on and import, for any purpose, tests included. */
  ours: readonly string[];
  /** Tools of this repository that its build uses: dev dependencies, and nothing that is shipped imports them. */
  buildsWith?: readonly string[];
  /** Third-party libraries it may declare outside devDependencies. A trailing `*` stands for a family. */
  libraries: readonly string[];
  /** Libraries that only files under these folders may import. */
  confined?: Readonly<Record<string, readonly string[]>>;
  /** Runs in a browser: no Node built-in outside the Node rooms, and the root entry reaches none. */
  neutral?: true;
  /** Levels of rooms, lowest first: a room imports rooms of lower levels only, never one of its own level. */
  rooms?: readonly (readonly string[])[];
}

/** Folders under `src` where a neutral package may use Node. No other file imports them. */
export const nodeRooms: readonly string[] = ['node', 'testing'];

const engine = ['protocol', 'runtime'];
const everything = ['protocol', 'client', 'runtime', 'host', 'providers', 'sandbox', 'tools', 'mcp', 'sdk'];

export const house: Readonly<Record<string, PackagePlan>> = {
  protocol: { ours: [], libraries: ['zod'], neutral: true },
  client: { ours: ['protocol'], libraries: ['ws'], confined: { ws: ['node'] }, neutral: true },
  runtime: {
    ours: ['protocol'],
    libraries: ['unbash', 'zod'],
    neutral: true,
    rooms: [
      ['event', 'model', 'sandbox'],
      ['tool'],
      ['hook', 'callback', 'context'],
      ['permission'],
      ['turn'],
      ['session'],
      ['replay'],
      ['runtime.ts'],
      ['create-runtime.ts'],
    ],
  },
  host: { ours: engine, libraries: ['pino', 'ws'], confined: { ws: ['node'] } },
  providers: { ours: engine, libraries: ['zod', 'yaml', 'diff', '@ai-sdk/*'] },
  sandbox: { ours: engine, libraries: ['@anthropic-ai/sandbox-runtime'] },
  tools: {
    ours: engine,
    libraries: [
      '@mozilla/readability',
      '@vscode/ripgrep',
      'chardet',
      'diff',
      'ignore',
      'linkedom',
      'sharp',
      'tinyglobby',
      'turndown',
      'unpdf',
      'zod',
    ],
  },
  mcp: { ours: engine, libraries: ['@modelcontextprotocol/client', 'zod'] },
  'store-postgres': { ours: engine, libraries: ['pg'] },
  sdk: {
    ours: ['protocol', 'client', 'runtime', 'host', 'providers', 'sandbox', 'tools', 'mcp'],
    libraries: ['ajv', 'ajv-formats', 'jsonc-parser', 'yaml', 'zod'],
  },
  cli: {
    ours: [...everything, 'store-postgres'],
    buildsWith: ['release'],
    libraries: [
      '@anthropic-ai/sandbox-runtime',
      '@lydell/node-pty',
      '@napi-rs/keyring',
      '@vscode/ripgrep',
      'pino',
      'sharp',
    ],
  },
};

/** Rooms that nobody named: code goes where its job is. */
export const junkNames: readonly string[] = ['utils', 'util', 'helpers', 'helper', 'common', 'shared', 'types', 'misc'];
