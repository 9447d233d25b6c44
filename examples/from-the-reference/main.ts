// The code of the second seed's reference, changed in its import only. The model is a script, named by the environment as
// a person would name theirs. Each program runs by itself, in a folder of its own.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const text = (...texts: string[]) => texts.map((line) => `  - text: ${line}\n`).join('');

interface Ending {
  readonly output: string;
  readonly code: number | null;
}

/** Runs a program of this folder, whose model says these texts, one a request, and gives all that it printed. */
async function run(program: string, script: string, otherScript = text()): Promise<Ending> {
  const place = await mkdtemp(join(tmpdir(), 'rondo-reference-'));
  try {
    const cwd = join(place, 'project');
    await mkdir(cwd);
    const [model, other] = [join(place, 'model.yaml'), join(place, 'other.yaml')];
    await writeFile(model, `version: 1\nsteps:\n${script}`);
    await writeFile(other, `version: 1\nsteps:\n${otherScript}`);
    const child = spawn(process.execPath, [...process.execArgv, join(import.meta.dirname, `${program}.ts`)], {
      cwd,
      env: {
        ...process.env,
        ANTHROPIC_MODEL: `scripted/${model}`,
        OTHER_MODEL: `scripted/${other}`,
        RONDO_HOME: join(place, 'home'),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    return { output, code };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** Runs it and holds what it prints against what it must. */
async function expect(program: string, script: string, wanted: readonly RegExp[]): Promise<void> {
  const { output, code } = await run(program, script);
  for (const pattern of wanted) assert.match(output, pattern, `${program}: ${output}`);
  assert.equal(code, 0, `${program}: ${output}`);
}

await expect('start-early', text('None.'), [/result: 'None\.'/]);
await expect(
  'define-a-tool',
  '  - call: mcp__web__search\n    input: { query: pens }\n  - expect: { results: ["Results for: pens"] }\n    text: Found.\n',
  [/Results for: pens/, /"result":"Found\."/],
);
await expect('list-sessions', text(), [/^$/]);
await expect('read-a-session', text(), [/^$/]);
await expect('resolve-settings', text(), [/Cleanup period: undefined days/]);
await expect('slow-answers', text('It is fine.'), [/It is fine\./]);
await expect('setting-sources', text('Good.'), [
  /ignoring: Good\./,
  /all: Good\./,
  /projectOnly: Good\./,
  /tests: permission\.bypass_refused/,
  /programOnly: Good\./,
  /conventions: Good\./,
]);
await expect('sandboxed', '  - call: Bash\n    input: { command: "true" }\n  - text: Built.\n', [
  /Built\.|Session ended with an error: .*sandbox/,
]);

{
  const { output, code } = await run('change-the-model', text('One.', 'Three.'), text('Two.'));
  assert.equal(code, 0, output);
  assert.match(output, /model: [^]*model\.yaml\nmodel: [^]*other\.yaml\nmodel: [^]*model\.yaml\n/);
}

{
  // Where no sandbox can be had, the program ends as the reference says: a sandbox that is asked for is there, or nothing runs.
  const script =
    '  - call: Bash\n    input: { command: "echo deployed", dangerouslyDisableSandbox: true }\n' +
    '  - expect: { results: [deployed] }\n    text: Deployed.\n';
  const { output, code } = await run('unsandboxed', script);
  if (code !== 0) assert.match(output, /sandbox/);
  else assert.match(output, /Unsandboxed command requested: echo deployed\n[^]*Deployed\./);
}

process.stdout.write('The code of the reference runs.\n');
