/** Every command has it. */
export const help = { kind: 'switch', short: 'h', group: 'Other', description: 'show this page' } as const;
