import { createHash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { canonicalJson, RondoError } from '@rondo/protocol/values';
import type { JsonValue } from '@rondo/protocol';
import type { SettingsLayer } from '../settings/settings-layer.ts';
import type { FolderPart, JudgedPart } from './folder-part.ts';
import { readGitPart } from './git-part.ts';
import { localScripts } from './local-scripts.ts';
import { createTrustStore } from './trust-store.ts';
import { wideningLines } from './widening-lines.ts';
import { wideningPart } from './widening-part.ts';

export interface JudgeFolderOptions {
  /** The session's folder, absolute. */
  readonly cwd: string;
  readonly home: string;
  readonly layers: readonly SettingsLayer[];
  /** Who embeds the runtime answers for the folder: `true` trusts all of it, `false` nothing; else what people have said counts. */
  readonly trusted?: boolean | undefined;
}

/** What a folder would bring in, and what of it somebody has trusted. */
export interface JudgedFolder {
  /** Where links lead. */
  readonly folder: string;
  /** As it was called. */
  readonly cwd: string;
  readonly parts: readonly JudgedPart[];
  /** What commands get in their environment, so that git runs nothing that is not trusted. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Reads no more than there is: a folder without settings and with a plain repository costs next to nothing. */
export async function judgeFolder(options: JudgeFolderOptions): Promise<JudgedFolder> {
  const { cwd } = options;
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new RondoError('input.invalid', `${cwd} is not a folder.`, { details: { path: cwd } });
  const folder = realpathSync.native(cwd);
  const git = await readGitPart(folder);
  const parts = [
    ...options.layers.map((layer) => layerPart(layer, cwd)).filter((part) => part !== undefined),
    ...(git === undefined ? [] : [git]),
  ];
  if (parts.length === 0) return { folder, cwd, parts: [], environment: {} };
  const known = options.trusted === undefined ? createTrustStore(options.home).read(folder)?.parts : undefined;
  const judged = parts.map(({ name, hash, brings }): JudgedPart => {
    const before = known !== undefined && Object.hasOwn(known, name) ? known[name] : undefined;
    const isTrusted = options.trusted ?? before === hash;
    return { name, hash, brings, state: isTrusted ? 'trusted' : before === undefined ? 'new' : 'changed' };
  });
  const isGitTrusted = judged.some(({ name, state }) => name === git?.name && state === 'trusted');
  return { folder, cwd, parts: judged, environment: git === undefined || isGitTrusted ? {} : git.disarmed };
}

/** What of a settings file waits for trust; undefined where the folder did not bring it or it only narrows. */
export function layerPart(layer: SettingsLayer, cwd: string): FolderPart | undefined {
  if (layer.source !== 'project' && layer.source !== 'local') return undefined;
  const widening = wideningPart(layer.settings);
  const brings = wideningLines(widening);
  if (Object.keys(widening).length === 0) return undefined;
  const { env, ...others } = widening;
  const scripts = localScripts(others, cwd, env);
  const hash = createHash('sha256')
    .update(canonicalJson(JSON.parse(JSON.stringify(widening)) as JsonValue))
    .update(scripts.map(({ name, hash: content }) => `\0${name}\0${content}`).join(''))
    .digest('hex');
  const named = scripts.length === 0 ? [] : [`with ${scripts.map(({ name }) => name).join(', ')}`];
  return { name: partName(layer, cwd), hash, brings: [...brings, ...named] };
}

export function partName({ path, name }: SettingsLayer, cwd: string): string {
  if (path === undefined) return name;
  const below = relative(cwd, path);
  return below.startsWith('..') ? path : below;
}
