/** Where in the order a call was decided. */
export type PermissionStep = (typeof permissionOrder)[number]['name'];

/**
 * How a tool call is judged, kept once: `decidePermission` follows it, docs and `explain` print it. The first step that
 * speaks decides.
 */
export const permissionOrder = [
  {
    name: 'hooks',
    title: 'PreToolUse hooks',
    explanation:
      'A hook may deny, ask, allow, rewrite or defer. A rewritten input is validated and judged anew; an allow may skip the question, never a rule or a refusal by plan.',
  },
  {
    name: 'deny rules',
    title: 'Deny rules, of every source',
    explanation:
      'A shell line is denied by any command in it, at any depth and in any spelling, or as a whole; a path as written or as resolved. Nothing later lifts a deny.',
  },
  {
    name: 'ask rules',
    title: 'Ask rules, and what only a person can tell',
    explanation:
      'A hit is asked whatever the mode or a rule allows; only what plan refuses is refused before. So is a tool that needs a person, a call that a deny or ask rule may be about, and a shell line that is not understood while there are such rules for it.',
  },
  {
    name: 'mode',
    title: 'The mode, first place',
    explanation: 'What the table of the modes says runs, runs; what plan refuses is refused before the ask rules.',
  },
  {
    name: 'allow rules',
    title: 'Allow rules',
    explanation:
      'Every command of a shell line must be allowed by itself, and what it redirects by rules for files; every path both as written and as resolved. A protected place needs a rule that names it.',
  },
  {
    name: 'instead of the question',
    title: "A policy's fallback, and the mode in second place",
    explanation:
      'A fallback counts when no source spoke. dontAsk, and unattended: deny where nobody is bound to answer, deny what would be asked; auto asks the classifier, but not for a hit at step 3.',
  },
  {
    name: 'question',
    title: 'The question',
    explanation:
      'An approval callback. A rewritten input in its answer is validated and passes the deny rules and plan again; the answer counts for that input alone.',
  },
] as const;

/** The order as numbered lines, for docs and terminals. */
export function describePermissionOrder(): string {
  return permissionOrder.map(({ title, explanation }, index) => `${index + 1}. ${title}. ${explanation}`).join('\n');
}
