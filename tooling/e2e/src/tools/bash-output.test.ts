import { readdir, stat } from 'node:fs/promises';
import { temporaryToolContext } from '@rondo/runtime/testing';
import { createLocalSandbox } from '@rondo/sandbox';
import { builtinTools } from '@rondo/tools';
import { expect, it } from 'vitest';

const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };

it('two gigabytes of output need bounded memory, and all of it can be read on from the hint', async () => {
  await using tool = await temporaryToolContext();
  const context = tool.context({ env, sandbox: createLocalSandbox() });
  const before = process.resourceUsage().maxRSS;
  const result = await builtinTools.Bash.run({ command: 'yes | head -c 2G', timeout: 600_000 }, context);
  expect(process.resourceUsage().maxRSS - before).toBeLessThan(200 * 1024);
  expect(result.isError).toBeUndefined();

  const hint =
    /bytes of output are in (\S+)\. What is left out begins there in line (\d+): Read it with offset: \2\./.exec(
      typeof result.content === 'string' ? result.content : '',
    );
  const [, file_path = '', offset] = hint ?? [];
  expect((await stat(file_path)).size).toBe(2 * 1024 ** 3);
  const page = await builtinTools.Read.run({ file_path, offset: Number(offset) }, tool.context());
  expect(page.structured).toMatchObject({
    type: 'text',
    file: { startLine: Number(offset), totalLinesIsMinimum: true, next: { offset: Number(offset) + 50_000 } },
  });
}, 300_000);

it('a command gets no more than the session gives it, and leaves nothing but its files', async () => {
  await using tool = await temporaryToolContext();
  const context = tool.context({ env, sandbox: createLocalSandbox() });
  const line =
    'cd / && export LOST=1; cat; touch "$OLDPWD/made"; (sleep 600 & setsid sleep 600 &) ; env | cut -d= -f1 | sort';
  const result = await builtinTools.Bash.run({ command: line }, context);
  expect(result.content).toBe(
    'LOST\nOLDPWD\nPATH\nPWD\nRONDO_COMMAND\nSHLVL\n_\n[2 processes that it left in the background were ended.]',
  );
  const again = await builtinTools.Bash.run({ command: 'pwd; echo "[$LOST]"' }, context);
  expect(again.content).toBe(`${tool.folder}\n[]`);
  expect(await readdir(tool.folder)).toEqual(['made']);
});
