import { compilePolicy, type Model } from '@rondo/runtime';
import { refusingSandbox, say, scriptedModel } from '@rondo/runtime/testing';
import { serveStdio } from '@rondo/host/node';
import { openHome } from '@rondo/sdk/host';

/** A process at work with the sessions of a home, told over standard input what to do. Its agent says back what it is told. */
const [, , home = ''] = process.argv;

const model: Model = {
  name: 'scripted/model',
  stream(request, options) {
    const last = request.messages.at(-1)?.content ?? [];
    const told = last.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    return scriptedModel([say(told.join(' '))]).stream(request, options);
  },
};

const { runtime } = await openHome({ home });
runtime.bind(
  {
    agent: { name: 'echo', fingerprint: 'echo' },
    cwd: '/work',
    model,
    system: 'Say it back.',
    tools: [],
    policy: compilePolicy({ directories: ['/work'], tools: [] }),
    unattended: 'wait',
    sandbox: refusingSandbox,
    env: {},
  },
  'own',
);
await serveStdio(runtime);
