/** The same conversation on the `ai` package. */
export function converseByAi(prompt: string): Promise<string>;
