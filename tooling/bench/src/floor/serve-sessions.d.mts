/** Resolves with the address. */
export function serveSessions(baseUrl: string): Promise<string>;
