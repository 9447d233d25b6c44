import type { FolderTrust, PartState } from '@rondo/sdk';

const states: Readonly<Record<PartState, string>> = {
  trusted: 'trusted',
  new: 'not trusted',
  changed: 'not trusted: it has changed since it was',
};

/** What a folder would bring in, for people. */
export function trustText({ folder, parts }: FolderTrust): string {
  if (parts.length === 0) return `${folder} brings in nothing that would have to be trusted.\n`;
  const blocks = parts.map(({ name, state, brings }) =>
    [`${name}  (${states[state]})`, ...brings.map((line) => `  ${line}`)].join('\n'),
  );
  return `${folder} brings in:\n\n${blocks.join('\n\n')}\n`;
}
