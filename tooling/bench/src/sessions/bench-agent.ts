import { type Binding, defineTool, type Model } from '@rondo/runtime';
import { createLocalSandbox } from '@rondo/sandbox';

export interface BenchAgentOptions {
  readonly model: Model;
  /** What the tool `Read` does. */
  readonly read: (path: string) => Promise<string>;
}

/** The agent of the bench: one tool, and nothing that asks. */
export function benchAgent({ model, read }: BenchAgentOptions): Binding {
  return {
    agent: { name: 'bench', fingerprint: 'bench' },
    cwd: process.cwd(),
    model,
    system: '',
    tools: [readTool(read)],
    policy: { sources: [], mode: 'default', directories: [process.cwd()] },
    unattended: 'deny',
    sandbox: createLocalSandbox(),
    env: {},
  };
}

function readTool(read: BenchAgentOptions['read']) {
  return defineTool({
    name: 'Read',
    description: 'Reads a file.',
    input: { type: 'object', properties: { file_path: { type: 'string' } }, required: ['file_path'] },
    effect: 'none',
    access: ({ file_path }) => ({ reads: [file_path] }),
    run: ({ file_path }) => read(file_path),
  });
}
