import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { redactedThinking, startModelServer, text, thinking, toolCall } from '@rondo/providers/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { prefixOf } from '../harness/request-prefix.ts';
import { createPlace, type Place } from '../harness/place.ts';
import { runCommand } from '../harness/start-command.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place[Symbol.dispose]());

describe('issue 2, accept 3: what was sent stands in what is sent later, byte for byte', () => {
  test('over --continue, with calls, results, signed and encrypted reasoning, CJK and emoji', async () => {
    const file = join(place.project, 'notes.txt');
    writeFileSync(file, 'Zeile 一\r\n\u2028 👩‍👩‍👧 "quoted" \\ \t\u0000end\n');
    await using server = await startModelServer({
      script: [
        [
          thinking('考える… "Anführung" \u2028'),
          redactedThinking('ZW5jcnlwdGVk'),
          text('Ich lese 世界.'),
          toolCall('Read', { file_path: file }),
          toolCall('Bash', { command: 'printf "\\303\\274 \\xff 👍"; exit 3' }),
        ],
        [thinking('noch einmal'), text('Gelesen. 👍')],
        text('again'),
        text('and again'),
      ],
    });
    const allowed = ['--allowedTools', 'Bash'];
    const runs = [
      ['-p', 'Lies 読んで 🎌 "notes.txt"', ...allowed],
      ['--continue', '-p', 'weiter', ...allowed],
      ['--continue', '-p', 'und noch einmal', ...allowed],
    ];
    for (const args of runs)
      expect(await runCommand({ place, server, args })).toMatchObject({ exitCode: 0, stderr: '' });

    const requests = server.requests.map(prefixOf);
    for (const [index, later] of requests.entries()) {
      const earlier = requests[index - 1];
      if (earlier === undefined) continue;
      expect(later.system).toBe(earlier.system);
      expect(later.tools).toBe(earlier.tools);
      expect(later.messages.slice(0, earlier.messages.length)).toEqual(earlier.messages);
      expect(later.messages.length).toBeGreaterThan(earlier.messages.length);
    }
    expect(requests).toHaveLength(4);
  });
});
