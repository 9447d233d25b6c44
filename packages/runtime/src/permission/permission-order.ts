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
    explanation: 'A path matches when it does as written or as resolved. Nothing later lifts a deny.',
  },
  {
    name: 'ask rules',
    title: 'Ask rules, and tools that need a person',
    explanation:
      'A hit is asked whatever the mode or a rule allows; only what plan refuses is refused before. Shell lines are not parsed: a rule for a shell tool matches the exact line or the whole tool.',
  },
  {
    name: 'mode',
    title: 'The mode, first place',
    explanation:
      'plan refuses every call with an effect. bypassPermissions allows. Reading inside the session directories needs no question, in plan reading anywhere. acceptEdits allows file edits inside the session directories, but not of protected places.',
  },
  {
    name: 'allow rules',
    title: 'Allow rules',
    explanation:
      'Every path must be allowed both as written and as resolved. A protected place needs a rule that names its path.',
  },
  {
    name: 'instead of the question',
    title: "A policy's fallback, and the mode in second place",
    explanation:
      'A fallback counts when no source spoke. dontAsk, and unattended: deny where nobody is bound to answer, deny what would be asked.',
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
