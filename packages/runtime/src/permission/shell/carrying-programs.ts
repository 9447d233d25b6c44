import type { Call, Program } from './command-effect.ts';
import type { ShellCommand } from './shell-line.ts';
import { type ShellWord, wordBehind } from './shell-word.ts';

/** A program that has others run only where one of its words says so. */
interface CarrierRow {
  readonly names: string;
  /** A flag that names a program or holds code: what stands behind its `=` or `,`, or the next word. */
  readonly flag?: RegExp;
  /** Words behind which the rest of the line is a command. */
  readonly before?: RegExp;
  /** How many more words stand between. */
  readonly skips?: number;
  /** What a text looks like, of an argument or of the input, in which it is told to run something. */
  readonly text?: RegExp;
}

const rows: readonly CarrierRow[] = [
  {
    names: 'cmake',
    before: /^(?:env|time|chdir)$/,
    flag: /^(?:-D\w*(?:COMPILER|LAUNCHER|COMMAND|PROGRAM|LINKER)\w*|--graphviz)/,
  },
  { names: 'ctest', flag: /^--(?:test-command|build-makeprogram)$/ },
  { names: 'gcc g++ cc c++ clang clang++', flag: /^-(?:wrapper|fuse-ld|-ld-path|no-integrated-cpp)(?:$|=)/ },
  { names: 'protoc', flag: /^--plugin(?:$|=)/ },
  { names: 'psql', text: /\\!|\\[gow]\w*\s*\||\bprogram\b/i, flag: /^(?:-P|--pset)$/ },
  {
    names: 'mysql mariadb',
    text: /(?:^|[;\s'"])(?:\\!|\\[PT]|system|pager|tee)\b|\\!/i,
    flag: /^--(?:pager|init-command)/,
  },
  {
    names: 'sqlite3',
    text: /(?:^|\n)\s*\.(?:sh|sy|load|im|once|ou|exc|lo)|\bedit\s*\(|load_extension/i,
    flag: /^-cmd$/,
  },
  { names: 'mongosh', flag: /^--eval/ },
  { names: 'pandoc', flag: /^(?:-F|--filter|--pdf-engine|--lua-filter)/ },
  { names: 'gh glab', before: /^(?:exec|ssh)$/, text: /^!/, flag: /^--(?:shell|editor|pager)(?:$|=)/ },
  { names: 'apt apt-get apt-cache aptitude', flag: /^(?:-o|--option|-c|--config-file)/ },
  { names: 'dnf yum zypper pacman', flag: /^--(?:setopt|hookdir|root|plugin-dir)/ },
  { names: 'ip', before: /^exec$/, skips: 1 },
  { names: 'rustup', before: /^run$/, skips: 1 },
  { names: 'nvm', before: /^(?:exec|run)$/, skips: 1 },
  { names: 'adb', before: /^(?:shell|exec-out|exec-in)$/ },
  { names: 'simctl', before: /^(?:spawn|exec)$/, skips: 1 },
  { names: 'minikube', before: /^(?:ssh|kubectl)$/ },
  { names: 'launchctl', before: /^(?:submit|asuser|bsexec|bstree)$/, skips: 1 },
  { names: 'heroku', before: /^run(?::\w+)?$/ },
  { names: 'fly flyctl', flag: /^(?:-C|--command)/, before: /^(?:run|exec)$/ },
  { names: 'gcloud aws az', flag: /^--(?:command|ssh-flag|cli-binary-format|impersonate)/, text: /credential_process/ },
  { names: 'firebase', before: /^emulators:exec$/ },
  { names: 'netlify', before: /^dev:exec$/, flag: /^(?:-c|--command)/ },
  { names: 'lerna', before: /^exec$/ },
  { names: 'nx turbo', before: /^exec$/, flag: /^--(?:command|commands)/ },
  { names: 'fastlane', before: /^sh$/, flag: /^command:/ },
  { names: 'helm', flag: /^--post-renderer/, text: /^\/?plugin$/ },
  { names: 'kustomize', flag: /^--(?:enable-exec|helm-command)/ },
  { names: 'flatpak snap', flag: /^--(?:command|shell)/ },
  { names: 'mypy pyright', flag: /^--(?:python-executable|pythonpath)/ },
  { names: 'systemctl', text: /^edit$/ },
];

/** Programs that start others only by some of their words, by name. */
export function carryingPrograms(): readonly {
  readonly names: string;
  readonly program: (known: Program) => Program;
}[] {
  return rows.map((row) => ({ names: row.names, program: (known) => carrier(row, known) }));
}

function carrier(row: CarrierRow, known: Program): Program {
  return (call) => {
    const effect = known(call);
    const { args, input, name } = call;
    const at = row.flag === undefined ? -1 : args.findIndex(({ prefix }) => row.flag?.test(prefix));
    const flagged = args[at];
    const text = [...args, ...(input === undefined ? [] : [input])].find(({ spelled }) => row.text?.test(spelled));
    const start = row.before === undefined ? -1 : args.findIndex(({ value }) => row.before?.test(value ?? ''));
    const words =
      start < 0
        ? []
        : args.slice(start + 1 + (row.skips ?? 0)).filter((word, index) => index > 0 || word.value !== '--');
    const isPiped = row.text?.test(call.piped ?? '') === true;
    if (flagged === undefined && text === undefined && words.length === 0 && !isPiped) return effect;
    const mayRun = [
      ...(effect.mayRun ?? []),
      ...(flagged === undefined ? [] : behindFlag(call, flagged, args[at + 1])),
      ...(words.length === 0 ? [] : [call.run(words), ...call.guess(words)]),
      ...(text === undefined ? [] : call.code(text.spelled.replace(/^[\s.\\!]*(?:shell|system|sh)?/i, '')).commands),
    ];
    const what = flagged ?? text ?? args[start];
    return { ...effect, readsOnly: false, mayRun, opaque: `${name} runs what ${what?.spelled ?? 'its input'} says` };
  };
}

function behindFlag(call: Call, flag: ShellWord, next: ShellWord | undefined): readonly ShellCommand[] {
  const at = flag.prefix.search(/[=,:]/);
  const value = at < 0 ? next : wordBehind(flag, at + 1);
  return value === undefined ? [] : call.code((value.value ?? value.spelled).replaceAll(',', ' ')).commands;
}
