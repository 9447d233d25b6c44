interface ResultBlock {
  annotations?: Record<string, unknown> | undefined;
  _meta?: Record<string, unknown> | undefined;
}

/** A block of what a tool of the Model Context Protocol gives. */
export type CallToolResultBlock =
  | (ResultBlock & { type: 'text'; text: string })
  | (ResultBlock & {
      type: 'image' | 'audio';
      /** Base64. */
      data: string;
      mimeType: string;
    })
  | (ResultBlock & {
      type: 'resource_link';
      uri: string;
      name: string;
      title?: string | undefined;
      description?: string | undefined;
      mimeType?: string | undefined;
      size?: number | undefined;
    })
  | (ResultBlock & {
      type: 'resource';
      resource: { uri: string; mimeType?: string | undefined } & (
        | { text: string; blob?: undefined }
        | { blob: string; text?: undefined }
      );
    });

/** What a tool of the Model Context Protocol gives. */
export interface CallToolResult {
  content: CallToolResultBlock[];
  /** For programs. The model reads it in place of the texts, which should say the same. */
  structuredContent?: Record<string, unknown> | undefined;
  /** The call has failed, and `content` says why. */
  isError?: boolean | undefined;
  _meta?: Record<string, unknown> | undefined;
}
