import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface Fields {
  [key: string]: unknown;
}

/** A transcript as another program writes it. */
export function foreignTranscript(folder: string, sessionId: string = randomUUID(), common: Fields = {}) {
  const lines: Fields[] = [];
  let parentUuid: string | null = null;
  let minutes = 0;
  const add = (type: string, fields: Fields): string => {
    const uuid = randomUUID();
    minutes += 1;
    const timestamp = new Date(Date.parse('2026-01-02T03:00:00.000Z') + minutes * 60_000).toISOString();
    const always = {
      isSidechain: false,
      userType: 'external',
      cwd: '/home/ada/project',
      version: '2.1.0',
      gitBranch: 'main',
    };
    lines.push({ parentUuid, ...always, sessionId, ...common, type, uuid, timestamp, ...fields });
    parentUuid = uuid;
    return uuid;
  };
  return {
    sessionId,
    lines,
    at: (uuid: string | null) => void (parentUuid = uuid),
    user: (content: unknown, more: Fields = {}) => add('user', { message: { role: 'user', content }, ...more }),
    reply: (block: Fields, id: string, more: Fields = {}) =>
      add('assistant', {
        message: {
          id,
          type: 'message',
          role: 'assistant',
          model: 'claude-test-1',
          content: [block],
          stop_reason: 'end_turn',
        },
        ...more,
      }),
    other: (type: string, fields: Fields = {}) => add(type, fields),
    write: async (name: string, tail = '') => {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join('') + tail);
      return path;
    },
  };
}

export const text = (value: string): Fields => ({ type: 'text', text: value });
export const toolUse = (id: string): Fields => ({ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } });
export const result = (id: string, content: unknown, more: Fields = {}): Fields[] => [
  { type: 'tool_result', tool_use_id: id, content, ...more },
];
