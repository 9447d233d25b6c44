/**
 * A path of a rule in the one spelling that rules are compared in: `C:\Users\u`, `C:/Users/u` and `file:///c/Users/u`
 * are `//c/Users/u`. A backslash in front of a letter separates folders; in front of a sign it is gitignore's escape.
 */
export function canonicalRulePath(written: string): string {
  const fromUrl = pathOfFileUrl(written);
  if (fromUrl !== undefined) return `/${fromUrl}`;
  const drive = drivePath(written);
  if (drive !== undefined) return `/${drive}`;
  const slashed = written
    .replace(/^\.\\/, './')
    .replace(/^~\\/, '~/')
    .replace(/\\(?=[\p{L}\p{N}_.])/gu, '/');
  return slashed.replace(/^\/\/([A-Za-z])(?=\/|$)/, (_all, letter: string) => `//${letter.toLowerCase()}`);
}

/** `/c/Users` for `C:\Users`; undefined for a path without a drive. */
export function drivePath(path: string): string | undefined {
  const drive = /^\/?([A-Za-z]):(?:[\\/]|$)/.exec(path);
  if (drive?.[1] === undefined) return undefined;
  return `/${drive[1].toLowerCase()}/${path.slice(drive[0].length).replace(/\\/g, '/')}`;
}

/** The path of a `file:` URL, absolute; undefined for anything else. */
export function pathOfFileUrl(text: string): string | undefined {
  const rest = /^file:(?:\/\/(?:localhost)?(?=\/))?(\/.*)$/is.exec(text)?.[1];
  if (rest === undefined) return undefined;
  const [path = ''] = rest.split(/[?#]/);
  const decoded = decodedText(path);
  return drivePath(decoded) ?? decoded;
}

function decodedText(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const roots =
  /^\/(?:Users|home|root|tmp|var|etc|usr|opt|private|mnt|media|Volumes|Library|System|Applications|srv|dev|proc|sys|boot|bin|sbin|lib|run|[A-Za-z](?=\/))(?:\/|$)/;

/** True for a path whose author will have meant the root of the disk. */
export function isMisreadRoot(content: string): boolean {
  return !content.startsWith('//') && roots.test(content);
}
