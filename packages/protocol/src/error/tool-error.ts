const mark = Symbol.for('rondo.toolError.v0');

/** Thrown by a tool's `run`: the call fails, and the model reads exactly this message. */
export class ToolError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'ToolError';
    Object.defineProperty(this, mark, { value: true });
  }
}

/** True for a `ToolError` of any copy of this package. */
export function isToolError(error: unknown): error is ToolError {
  return typeof error === 'object' && error !== null && mark in error;
}
