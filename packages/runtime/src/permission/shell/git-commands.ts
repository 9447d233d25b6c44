import type { FlagGrammar } from './read-arguments.ts';

/** Flags before git's own command. */
export const gitFlags: FlagGrammar =
  '-C/ -c= --config-env! --exec-path! --git-dir! --work-tree! --namespace= --super-prefix! -p --paginate -P --no-pager --no-replace-objects --bare --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-optional-locks --no-advice --attr-source= --list-cmds. -v. --version. -h. --html-path. --man-path. --info-path.';

/** Settings of `-c` that change neither what git runs nor where it goes. Any other may have a program run. */
export const harmlessGitSetting =
  /^(?:user\.(?:name|email)|author\.(?:name|email)|committer\.(?:name|email)|color\.[\w.]+|advice\.\w+|core\.(?:quotepath|autocrlf|safecrlf|abbrev|filemode|ignorecase|longpaths|precomposeunicode|eol|symlinks)|init\.defaultbranch|commit\.gpgsign=(?:false|0|no|off)|tag\.gpgsign=(?:false|0|no|off)|log\.(?!showsignature)\w+|diff\.(?:renames|renamelimit|noprefix|mnemonicprefix|context|algorithm|wserrorhighlight)|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote)|merge\.(?:ff|conflictstyle|renames)|rebase\.(?:autostash|autosquash)|fetch\.(?:prune|parallel)|column\.\w+|gc\.auto|http\.(?:version|postbuffer|lowspeedlimit|lowspeedtime)|status\.\w+|format\.pretty|i18n\.\w+|safe\.bareRepository)(?:=|$)/i;

/** What shows differences. Git runs the differ of its settings unasked; those settings are the user's or trusted ones. */
const differ =
  '--output! --ext-diff! --textconv! -O! --open-files-in-pager! --no-index! -p? -u? -U= -S= -G= -l= -M? -C? -B? -D -n= --max-count= --skip= --since= --after= --until= --before= --author= --committer= --grep= --format= --diff-filter= --word-diff-regex= --anchored= --src-prefix= --dst-prefix= --line-prefix= --inter-hunk-context= --find-object= --diff-algorithm= --stat? --color? --pretty? --date= --encoding= --glob= --exclude= --branches? --tags? --remotes? -L= --show-signature! --help!';

export interface GitRow {
  readonly names: string;
  readonly flags: FlagGrammar;
  /** Operands that make it change something: all but these are refused where this is given. */
  readonly form?: RegExp;
}

/** Commands of git that change nothing with these flags, where the operands have this form. */
export const gitReads: readonly GitRow[] = [
  { names: 'log show diff whatchanged diff-tree diff-index diff-files cherry', flags: `${differ} *` },
  {
    names: 'status',
    flags:
      '-s --short -b --branch -v --verbose -u? --untracked-files? --ignored? --porcelain? --long -z --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames? --show-stash --ignore-submodules?',
  },
  {
    names: 'blame annotate',
    flags: '-L= --since= -S= --ignore-rev= --contents< --date= --abbrev= --output! --textconv! --ignore-revs-file< *',
  },
  { names: 'shortlog', flags: '--output! --group= --format= -w? --help! *' },
  {
    names: 'grep',
    flags:
      '-O! --open-files-in-pager! --textconv! --ext-grep! --no-index! --help! -e= -f< -A= -B= -C= -m= --max-depth= --threads= *',
  },
  {
    names:
      'rev-parse rev-list name-rev merge-base describe ls-files ls-tree show-ref for-each-ref count-objects cat-file check-ignore check-attr var version show-branch diff-pairs',
    flags:
      '--output! --textconv! --filters! --help! --exec-path! --use-bitmap-index --contains= --format= --sort= --points-at= --merged= --match= --exclude= --max-count= -n= *',
  },
  { names: 'reflog', flags: '--help! --output! *', form: /^(?!expire$|delete$|drop$|write$)/ },
  {
    names: 'branch',
    flags:
      '-a --all -r --remotes -v -vv --verbose -q --list -l --show-current --contains --no-contains --merged --no-merged --points-at= --sort= --format= --column? --no-column --color? --no-color --abbrev? --no-abbrev -i --ignore-case',
    form: /^$/,
  },
  {
    names: 'tag',
    flags:
      '-l --list -n? --contains --no-contains --merged --no-merged --points-at= --sort= --format= --column? --no-column --color? -i --ignore-case',
    form: /^$/,
  },
  { names: 'remote', flags: '-v --verbose', form: /^(?:get-url|[\w.-]+)$/ },
  { names: 'stash', flags: `${differ} *`, form: /^(?:list|show|stash@\{\d+\}|\d+)$/ },
  { names: 'worktree', flags: '-v --verbose --porcelain -z', form: /^list$/ },
  {
    names: 'config',
    flags:
      '--get --get-all --get-regexp --list -l --show-origin --show-scope --name-only --global --system --local --worktree -z --null --type= --default= --includes --no-includes --bool --int --path',
  },
];

/** The commands of git. Another name is an alias of some settings, or a program `git-<name>`: either may run anything. */
export const gitCommands: ReadonlySet<string> = new Set(
  [
    'add am annotate apply archimport archive bisect blame branch bugreport bundle cat-file check-attr check-ignore check-mailmap check-ref-format checkout',
    'checkout-index cherry cherry-pick citool clean clone column commit commit-graph commit-tree config count-objects credential credential-cache credential-store',
    'daemon describe diagnose diff diff-files diff-index diff-pairs diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch fmt-merge-msg for-each-ref',
    'for-each-repo format-patch fsck gc get-tar-commit-id grep gui hash-object help hook http-backend imap-send index-pack init init-db instaweb interpret-trailers',
    'last-modified log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file merge-index merge-one-file merge-tree mergetool mktag mktree',
    'multi-pack-index mv name-rev notes p4 pack-objects pack-redundant pack-refs patch-id prune prune-packed pull push quiltimport range-diff read-tree rebase',
    'receive-pack reflog refs remote repack replace replay repo request-pull rerere reset restore rev-list rev-parse revert rm send-email send-pack sh-i18n sh-setup',
    'shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule svn switch symbolic-ref tag unpack-file unpack-objects',
    'update-index update-ref update-server-info upload-archive upload-pack var verify-commit verify-pack verify-tag version web--browse whatchanged worktree write-tree lfs',
  ]
    .join(' ')
    .split(' '),
);

/** Flags whose value is code or a program, by command. `*`: of every command. A short one may have its value attached. */
export const gitCodeFlags: ReadonlyMap<string, readonly string[]> = new Map([
  ['rebase', ['-x', '--exec']],
  ['difftool', ['-x', '--extcmd']],
  ['grep', ['-O', '--open-files-in-pager']],
  ['clone', ['-u', '--upload-pack', '-c', '--config', '--template']],
  ['init', ['--template']],
  ['fetch', ['--upload-pack']],
  ['fetch-pack', ['--upload-pack', '--exec']],
  ['pull', ['--upload-pack']],
  ['ls-remote', ['--upload-pack', '--exec']],
  ['push', ['--receive-pack', '--exec']],
  ['send-pack', ['--receive-pack', '--exec']],
  ['archive', ['--exec']],
  [
    'filter-branch',
    [
      '--setup',
      '--env-filter',
      '--tree-filter',
      '--index-filter',
      '--parent-filter',
      '--msg-filter',
      '--commit-filter',
      '--tag-name-filter',
    ],
  ],
  ['send-email', ['--smtp-server', '--to-cmd', '--cc-cmd', '--header-cmd', '--sendmail-cmd']],
  ['interpret-trailers', ['--config']],
  ['instaweb', ['-b', '--browser', '-d', '--httpd']],
]);
