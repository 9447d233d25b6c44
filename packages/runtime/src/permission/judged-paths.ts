import type { Tool, ToolAccess } from '../tool/tool.ts';
import { absolutePath, isWithin, normalPath } from './lexical-path.ts';
import { isPathPattern, loadPathPatterns, type PathPatterns } from './path-pattern.ts';
import type { Policy, PolicyRule, PolicySource } from './policy.ts';
import { isRuleForTool, lentAccess, rulePath } from './rule-path.ts';
import { drivePath, pathOfFileUrl } from './rule-path-spelling.ts';
import type { ShellCommand } from './shell/shell-line.ts';
import type { PathResolver } from './path-resolver.ts';

/** A path that a call touches, before anybody has looked where it leads. */
export interface TouchedPath {
  /** As the call wrote it; undefined where only running it tells. */
  readonly written: string | undefined;
  readonly access: 'read' | 'write';
  /** All that lies below it may be touched too. */
  readonly tree?: true;
  /** It is a folder in which the call touches something by a pattern: a link that lies there may lead elsewhere. */
  readonly within?: true;
  /** Nobody knows whether the call touches it at all: for rules that deny or ask. */
  readonly maybe?: true;
  /** Git works there, by what the repository there has it run. */
  readonly repository?: true;
  /** The shell opens it for this command. */
  readonly redirect?: true;
  /** The command of a shell line that opens it. */
  readonly command?: ShellCommand;
}

/** A path that a call touches, in every form it may be known by. */
export interface JudgedPath extends TouchedPath {
  readonly written: string;
  /** Normalised, and where it really leads. Undefined among them: where it leads could not be found out. */
  readonly forms: readonly (string | undefined)[];
}

/** Everything about paths that judging a call needs and the file system alone knows. */
export interface JudgedPaths {
  readonly paths: readonly JudgedPath[];
  /** Where a path of the policy really leads: its folders, and the paths of its rules for the tool. */
  readonly resolved: (path: string) => string | undefined;
  /** Absent where no rule for the call has a pattern. */
  readonly patterns?: PathPatterns | undefined;
}

export interface JudgePathsOptions {
  readonly tool: Pick<Tool, 'name' | 'ruleContent'>;
  readonly policy: Policy;
  /** Follows links, of the nearest existing folder for what does not exist. Rejects where it cannot tell. */
  readonly resolvePath: PathResolver;
  /** What the call's shell line opens. */
  readonly touched?: readonly TouchedPath[];
}

export const noPaths: JudgedPaths = { paths: [], resolved: () => undefined };

/** Asks the file system where the call's paths and the policy's own really lead. Never rejects. */
export async function judgedPaths(access: ToolAccess, options: JudgePathsOptions): Promise<JudgedPaths> {
  const { policy, resolvePath } = options;
  const touched = [...touchedBy(access), ...(options.touched ?? [])];
  if (touched.length === 0) return noPaths;
  const [cwd = '/'] = policy.directories;
  const rules = pathRulesOf(options);
  const wanted = new Set<string>([...policy.directories, ...rules.flatMap(placesToResolve(policy))]);
  for (const { written } of touched) {
    for (const path of written === undefined ? [] : spellings(written, policy)) {
      // A tool may fold `link/..` away by text or let the system follow the link first: both places are judged.
      wanted.add(absolutePath(cwd, path)).add(normalPath(cwd, path));
    }
  }
  const resolved = new Map<string, string | undefined>();
  const resolveOne = (path: string): Promise<unknown> =>
    resolvePath(path).then(
      // What comes from outside is made normal here: comparing takes paths by their text.
      (place) => resolved.set(path, normalPath('/', place)),
      () => resolved.set(path, undefined),
    );
  const hasPattern = rules.some(({ rule }) => rule.literal !== true && isPathPattern(rule.content ?? ''));
  const [patterns] = await Promise.all([
    hasPattern ? loadPathPatterns().catch(() => undefined) : undefined,
    ...[...wanted].map(resolveOne),
  ]);
  const hardLinks = await hardLinksOf(rules, touched, { policy, resolvePath, resolved });
  const paths = touched.map((path): JudgedPath => {
    const { written } = path;
    if (written === undefined)
      return { ...path, written: 'a path that only running the line tells', forms: [undefined] };
    const forms = spellings(written, policy).flatMap((spelling) => {
      const normal = normalPath(cwd, spelling);
      return [normal, resolved.get(absolutePath(cwd, spelling)), resolved.get(normal)];
    });
    return { ...path, written, forms: [...new Set([...forms, ...forms.flatMap((form) => hardLinks(form))])] };
  });
  return { paths, resolved: (path) => resolved.get(path), patterns };
}

interface Places {
  readonly policy: Policy;
  readonly resolvePath: PathResolver;
  readonly resolved: ReadonlyMap<string, string | undefined>;
}

/** The other names of what a call touches, where a rule that denies or asks may be about them. */
async function hardLinksOf(
  rules: readonly RuleOfSource[],
  touched: readonly TouchedPath[],
  { policy, resolvePath, resolved }: Places,
): Promise<(form: string | undefined) => readonly (string | undefined)[]> {
  const { otherNames } = resolvePath;
  const guards = rules.filter(({ rule }) => rule.behavior !== 'allow');
  if (otherNames === undefined || guards.length === 0) return () => [];
  const folders = guardedFolders(guards, policy, (path) => resolved.get(path));
  const [cwd = '/'] = policy.directories;
  const found = new Map<string, readonly (string | undefined)[]>();
  const isOpened = touched.filter(({ maybe, tree }) => maybe !== true && tree !== true);
  const written = isOpened.flatMap((path) => (path.written === undefined ? [] : spellings(path.written, policy)));
  for (const spelling of written) {
    const place = resolved.get(absolutePath(cwd, spelling));
    if (place === undefined || found.has(place)) continue;
    const names = await otherNames(place, folders).catch(() => undefined);
    found.set(place, names ?? [undefined]);
  }
  return (form) => (form === undefined ? [] : (found.get(form) ?? []));
}

/**
 * Where what these rules are about lies, none of them in another. A folder that holds the session's own, such as the root
 * of the disk, is left out: there is no end of looking in it.
 */
export function guardedFolders(
  guards: readonly RuleOfSource[],
  policy: Policy,
  resolved: (path: string) => string | undefined,
): readonly string[] {
  const [cwd = '/'] = policy.directories;
  const realCwd = resolved(cwd) ?? cwd;
  const folders = new Set<string>();
  for (const { rule, source } of guards) {
    const place = rulePath(rule, source, policy);
    if (place === undefined) continue;
    const folder = place.name === undefined ? place.path : place.base;
    const real = resolved(folder) ?? folder;
    if (real === realCwd || !isWithin(real, realCwd, false)) folders.add(real);
  }
  return [...folders].filter(
    (folder) => ![...folders].some((other) => other !== folder && isWithin(other, folder, false)),
  );
}

function touchedBy({ reads = [], writes = [], urls = [] }: ToolAccess): TouchedPath[] {
  return [
    ...reads.map((written) => ({ written, access: 'read' as const })),
    ...writes.map((written) => ({ written, access: 'write' as const })),
    // What is fetched from this machine's disk is read from it.
    ...urls.flatMap((url) => {
      const written = pathOfFileUrl(url.trim());
      return written === undefined ? [] : [{ written, access: 'read' as const }];
    }),
  ];
}

const processFolder = /^\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?\/(cwd|root)(?=\/|$)/;

/** A path is also judged as what it may be taken for: below the home folder, a `file:` URL, on a drive. */
function spellings(written: string, { home, directories }: Policy): readonly string[] {
  const all = [written];
  const [cwd = '/'] = directories;
  // Those are folders of whoever opens it: of a command the session's, and not that of the process which judges it.
  const [process, link] = processFolder.exec(normalPath(cwd, written)) ?? [];
  if (process !== undefined) all.push(`${link === 'cwd' ? cwd : ''}/${normalPath(cwd, written).slice(process.length)}`);
  if (home !== undefined && (written === '~' || written.startsWith('~/'))) all.push(`${home}/${written.slice(2)}`);
  const other = pathOfFileUrl(written) ?? drivePath(written);
  if (other !== undefined) all.push(other);
  return all;
}

interface RuleOfSource {
  readonly rule: PolicyRule;
  readonly source: PolicySource;
}

function pathRulesOf({ tool, policy }: JudgePathsOptions): RuleOfSource[] {
  if (tool.ruleContent !== 'path' && tool.ruleContent !== 'command') return [];
  return policy.sources.flatMap((source) =>
    source.rules.flatMap((rule) => {
      if (rule.content === undefined) return [];
      const isOwn = tool.ruleContent === 'path' && isRuleForTool(rule, tool.name);
      return isOwn || lentAccess(rule, tool) !== undefined || isForRedirects(rule, tool) ? [{ rule, source }] : [];
    }),
  );
}

/** Rules for files that let a shell line read and write what it redirects. */
function isForRedirects({ behavior, toolName }: PolicyRule, { ruleContent }: Pick<Tool, 'ruleContent'>): boolean {
  return ruleContent === 'command' && behavior === 'allow' && ['Read', 'Edit', 'Write'].includes(toolName);
}

/** Of an allow rule only the folder that it starts from: a link laid at its path does not carry it along. */
function placesToResolve(policy: Policy): (each: RuleOfSource) => string[] {
  return ({ rule, source }) => {
    const place = rulePath(rule, source, policy);
    if (place === undefined) return [];
    return rule.behavior === 'allow' ? [place.base] : [place.base, place.path];
  };
}
