import { chatFlags, type commandNames, demoFlags, sessionsFlags } from './flag-tables.ts';
import type { HelpPage } from './help.ts';

export const helpPages: Readonly<Record<'chat' | (typeof commandNames)[number], HelpPage>> = {
  chat: {
    usage: ['rondo [PROMPT]', 'rondo -p PROMPT', 'COMMAND | rondo -p [PROMPT]'],
    about:
      'An agent in your terminal. Without -p on a terminal it is a conversation; otherwise it answers one prompt, taken from the argument, from what is piped in, or both.',
    sections: [
      {
        title: 'Commands',
        rows: [
          ['demo', 'see it read, edit and test a sample project; needs no key and no network'],
          ['sessions list', 'the sessions on this machine, latest first'],
          ['sessions show SESSION', 'what was said and done in one; the first digits of its ID are enough'],
        ],
      },
    ],
    flags: chatFlags,
    footer:
      'A model needs a key: ANTHROPIC_API_KEY (ANTHROPIC_BASE_URL for another address). Exit codes: 0 done, 1 the answer is an error, 2 wrong usage, 130 interrupted, 143 terminated.',
  },
  demo: {
    usage: ['rondo demo'],
    about:
      'Copies a sample project with a failing test to a temporary folder and lets a scripted model repair it, with the real tools, permissions and log. Needs no key and no network.',
    flags: demoFlags,
  },
  sessions: {
    usage: ['rondo sessions list [--dir FOLDER] [--limit N]', 'rondo sessions show SESSION'],
    about: 'What the log holds. The first digits of a session ID are enough where only one session begins with them.',
    flags: sessionsFlags,
  },
};
