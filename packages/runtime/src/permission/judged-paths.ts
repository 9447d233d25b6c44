import type { Tool, ToolAccess } from '../tool/tool.ts';
import { absolutePath, normalPath } from './lexical-path.ts';
import type { Policy } from './policy.ts';
import { isRuleForTool, lentAccess, rulePath } from './rule-path.ts';

/** A path that a call touches, in every form it may be known by. */
export interface JudgedPath {
  /** As the call wrote it. */
  readonly written: string;
  readonly access: 'read' | 'write';
  /** Normalised, and where it really leads. Undefined among them: where it leads could not be found out. */
  readonly forms: readonly (string | undefined)[];
}

/** Everything about paths that judging a call needs and the file system alone knows. */
export interface JudgedPaths {
  readonly paths: readonly JudgedPath[];
  /** Where a path of the policy really leads: its folders, and the paths of its rules for the tool. */
  readonly resolved: (path: string) => string | undefined;
}

export interface JudgePathsOptions {
  readonly tool: Pick<Tool, 'name' | 'ruleContent'>;
  readonly policy: Policy;
  /** Follows links, of the nearest existing folder for what does not exist. Rejects where it cannot tell. */
  readonly resolvePath: (path: string) => Promise<string>;
}

const noPaths: JudgedPaths = { paths: [], resolved: () => undefined };

/** Asks the file system where the call's paths and the policy's own really lead. Never rejects. */
export async function judgedPaths(access: ToolAccess, options: JudgePathsOptions): Promise<JudgedPaths> {
  const { policy, resolvePath } = options;
  const touched = [
    ...(access.reads ?? []).map((written) => ({ written, access: 'read' as const })),
    ...(access.writes ?? []).map((written) => ({ written, access: 'write' as const })),
  ];
  if (touched.length === 0) return noPaths;
  const [cwd = '/'] = policy.directories;
  const wanted = new Set<string>([...policy.directories, ...rulePathsOf(options)]);
  for (const { written } of touched) {
    for (const path of spellings(written, policy)) {
      // A tool may fold `link/..` away by text or let the system follow the link first: both places are judged.
      wanted.add(absolutePath(cwd, path)).add(normalPath(cwd, path));
    }
  }
  const resolved = new Map<string, string | undefined>();
  const resolveOne = async (path: string): Promise<void> => {
    // What comes from outside is made normal here: comparing takes paths by their text.
    resolved.set(
      path,
      await resolvePath(path)
        .then((place) => normalPath('/', place))
        .catch(() => undefined),
    );
  };
  await Promise.all([...wanted].map(resolveOne));
  const paths = touched.map(({ written, access: kind }): JudgedPath => {
    const forms = spellings(written, policy).flatMap((path) => {
      const normal = normalPath(cwd, path);
      return [normal, resolved.get(absolutePath(cwd, path)), resolved.get(normal)];
    });
    return { written, access: kind, forms: [...new Set(forms)] };
  });
  return { paths, resolved: (path) => resolved.get(path) };
}

function spellings(written: string, { home }: Policy): readonly string[] {
  const isHome = home !== undefined && (written === '~' || written.startsWith('~/'));
  return isHome ? [written, `${home}/${written.slice(2)}`] : [written];
}

function rulePathsOf({ tool, policy }: JudgePathsOptions): string[] {
  if (tool.ruleContent !== 'path') return [];
  return policy.sources.flatMap((source) =>
    source.rules.flatMap((rule) => {
      if (rule.content === undefined) return [];
      if (!isRuleForTool(rule, tool.name) && lentAccess(rule, tool) === undefined) return [];
      const place = rulePath(rule.content, source, policy);
      return place === undefined ? [] : [place.base, place.path];
    }),
  );
}
