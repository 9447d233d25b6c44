/**
 * Where a path really leads in a file system that has these links and nothing else: every link is followed, before a `..`
 * behind it is taken, and what does not exist is where its folder is. Rejects in a circle of links.
 */
export function caseFiles(
  links: Readonly<Record<string, string>>,
  foldCase: boolean,
): (path: string) => Promise<string> {
  const keyOf = (path: string): string => (foldCase ? path.toLowerCase() : path);
  const targets = new Map(Object.entries(links).map(([path, target]) => [keyOf(path), target]));
  return (path) => {
    let followed = 0;
    let place = '';
    const rest = path.split('/').toReversed();
    while (rest.length > 0) {
      const name = rest.pop() ?? '';
      if (name === '' || name === '.') continue;
      if (name === '..') {
        place = place.slice(0, Math.max(0, place.lastIndexOf('/')));
        continue;
      }
      const target = targets.get(keyOf(`${place}/${name}`));
      if (target === undefined) {
        place = `${place}/${name}`;
        continue;
      }
      followed += 1;
      if (followed > 40) return Promise.reject(new Error(`too many links on the way to ${path}`));
      if (target.startsWith('/')) place = '';
      rest.push(...target.split('/').toReversed());
    }
    return Promise.resolve(place === '' ? '/' : place);
  };
}
