import { chatFlags } from './chat-flags.ts';
import {
  attachFlags,
  type commandNames,
  demoFlags,
  doctorFlags,
  modelsFlags,
  permissionsFlags,
  replayFlags,
  serveFlags,
  sessionsFlags,
  settingsFlags,
  trustFlags,
} from './flag-tables.ts';
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
          ['models [FILTER]', 'the models there are, which keys are set, and servers found on this machine'],
          ['sessions list', 'the sessions on this machine, latest first'],
          ['sessions show SESSION', 'what was said and done in one; the first digits of its ID are enough'],
          ['sessions --help', 'what else can be done with them'],
          ['serve', 'a host for clients elsewhere, over WebSocket and HTTP'],
          ['attach [URL] SESSION', 'follow and steer a session that another process is at work with'],
          ['permissions explain TOOL INPUT', 'whether a call may run here, and why'],
          ['settings [KEY]', 'the settings that count here, with the source of each'],
          ['doctor', 'what works and what is enforced here, with the fix for what is not'],
          ['trust [FOLDER]', 'what a folder would bring in, and to trust it'],
          ['replay SESSION', 'run one again without a model, and see whether all goes as it went'],
        ],
      },
    ],
    flags: chatFlags,
    footer:
      'A model needs a key, such as ANTHROPIC_API_KEY or OPENAI_API_KEY, or a server of your own: rondo models tells. Exit codes: 0 done, 1 the answer is an error, 2 wrong usage, 130 interrupted, 143 terminated.',
  },
  attach: {
    usage: ['rondo attach [URL] SESSION [--json]'],
    about:
      'Shows what was said in a session and what happens in it, in whatever process it is at work: on this machine, or, with a URL such as ws://host:port, on a host that rondo serve started. What you type goes to it, its questions can be answered here, Ctrl-C interrupts its turn, Ctrl-D leaves it as it is.',
    flags: attachFlags,
    footer: 'The token for a URL is taken from --token-file or RONDO_TOKEN, never from the URL.',
  },
  serve: {
    usage: [
      'rondo serve [--agents DIR] [--store DIR] [--host HOST] [--port PORT] [--token-file FILE] [--allow-origin ORIGIN]',
    ],
    about:
      'A host for clients elsewhere, over WebSocket, HTTP and server-sent events, until SIGTERM or Ctrl-C. Goes on with the unfinished sessions of the agents it serves. Every module of --agents DIR has an agent as its default export; clients name it agent:NAME. Tells what happens in JSON lines on standard error.',
    flags: serveFlags,
    footer: 'Exit codes: 0 ended as it was asked to, 1 it could not start, 2 wrong usage.',
  },
  demo: {
    usage: ['rondo demo'],
    about:
      'Copies a sample project with a failing test to a temporary folder and lets a recorded model repair it, with the real tools, permissions and log. Needs no key and no network.',
    flags: demoFlags,
  },
  models: {
    usage: ['rondo models [FILTER] [--json]'],
    about:
      'The models of each provider with their windows, prices and what they take; where keys come from; what short names mean; servers found on this machine. FILTER shows only what has it in its name. Needs no key.',
    flags: modelsFlags,
    footer:
      'Servers are looked for on the usual ports of this machine, or on those of RONDO_LOCAL_SERVERS ("8000 11500", or none). Nothing is used because it was found.',
  },
  replay: {
    usage: ['rondo replay SESSION [--behavioural] [--live-tools] [--agents DIR] [--json]'],
    about:
      'Runs a recorded session again: what the model said, what tools gave, decisions, IDs and times come from its log, and every event has to be what it was. Needs no key and no network, and runs no tool unless told. SESSION is an ID, the first digits of one, or the path of a log.',
    flags: replayFlags,
    footer: 'Exit codes: 0 all goes as it went, 1 something does not, 2 wrong usage.',
  },
  permissions: {
    usage: [
      'rondo permissions explain TOOL INPUT [--json]',
      'rondo permissions list [--json]',
      'rondo permissions test FILE [--json]',
    ],
    about:
      'What may run in this folder and why, by the code that decides it. explain: which step and which rule decide one call, and from which file; INPUT is JSON, or just the command, path or address. list: the mode, folders and every rule with its source. test: whether the calls of a file are decided as it says.',
    flags: permissionsFlags,
    footer: 'Exit codes: 0 done, 1 a case of the file is decided otherwise, 2 wrong usage.',
  },
  doctor: {
    usage: ['rondo doctor [--json]'],
    about:
      'Looks at what a session in this folder would need: Node, the home, keys and servers, settings, trust, the sandbox and what it enforces on this machine, ripgrep, a shell. Says how to repair what does not work. Changes nothing, and asks no model.',
    flags: doctorFlags,
    footer: 'Exit codes: 0 nothing is wrong, 1 something is, 2 wrong usage.',
  },
  settings: {
    usage: ['rondo settings [KEY] [--json]'],
    about:
      'The settings that a session in this folder would work by: what is wrong in them first, then each key with its value and the files that say it. KEY shows one, such as permissions.deny. What of the folder does not count before it is trusted is told too. Values of variables that look like keys are hidden.',
    flags: settingsFlags,
    footer:
      'Exit codes: 0 done, 1 a file is so broken that no session would start, or nothing says KEY, 2 wrong usage.',
  },
  trust: {
    usage: ['rondo trust [FOLDER] [--yes | --revoke] [--json]', 'rondo trust --list'],
    about:
      'What a folder brings in that would let something happen or run: allow rules, hooks, variables, helpers of its settings with the scripts they name, and programs that its git configuration starts. None of it counts until it is trusted, by its content: what changes has to be trusted again.',
    flags: trustFlags,
    footer: 'Exit codes: 0 all of it is trusted, 1 something is not, 2 wrong usage.',
  },
  sessions: {
    usage: [
      'rondo sessions list [--dir FOLDER] [--limit N]',
      'rondo sessions show SESSION',
      'rondo sessions rename SESSION TITLE',
      'rondo sessions tag SESSION [TAG]',
      'rondo sessions fork SESSION [--title TITLE]',
      'rondo sessions rm SESSION [--force]',
      'rondo sessions export SESSION [--format FORMAT] [--output FILE]',
      'rondo sessions verify SESSION | --all',
      'rondo sessions salvage SESSION',
      'rondo sessions import FILE… [--dry-run]',
    ],
    about:
      'What the log holds. The first digits of a session ID are enough where only one session begins with them. tag without a TAG takes the tag away.',
    flags: sessionsFlags,
  },
};
