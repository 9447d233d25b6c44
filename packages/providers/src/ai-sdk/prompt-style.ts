/** What differs between providers in how a conversation is put to them. */
export interface PromptStyle {
  /** Resolved name of the model that is asked. */
  readonly model: string;
  /** Whether it takes a file of that media type; one that it does not take is named in a text. */
  readonly takes: (mediaType: string) => boolean;
  /** Files of a tool's result go `inline` with it, or in a message of the user's `after` it. */
  readonly resultFiles: 'inline' | 'after';
  /** Said for the model between results and words of the user's, where the API takes none right after results. */
  readonly afterResults?: string;
  /** A call's ID as this provider takes it; has to be the same for the same ID, always. */
  readonly callId?: (toolCallId: string) => string;
}
