/** `maybe`: only running the line would tell whether the rule is about it. */
export type Touch = 'yes' | 'maybe' | 'no';
