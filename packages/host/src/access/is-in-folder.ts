/** Whether an absolute path is one of the folders or below one. A path that climbs with `..` is in none. */
export function isInFolder(path: string, folders: readonly string[]): boolean {
  if (/(^|[\\/])\.\.([\\/]|$)/.test(path)) return false;
  return folders.some((folder) => {
    const root = folder.replace(/[\\/]+$/, '');
    return path === root || path === folder || path.startsWith(`${root}/`) || path.startsWith(`${root}\\`);
  });
}
