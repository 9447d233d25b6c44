interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a schema says of a value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** A schema of any library that follows Standard Schema v1, with its JSON Schema extension where the library has it. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly jsonSchema?:
      | { readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown> }
      | undefined;
  };
}

/** Libraries make them objects or functions. */
export function isStandardSchema(value: object): value is StandardSchema {
  return '~standard' in value;
}

/** What is wrong, each with its place, in one line for a person or a model. */
export function describeIssues(issues: readonly StandardIssue[]): string {
  return issues
    .map(({ message, path = [] }) => {
      const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
      return place === '' ? message : `${place}: ${message}`;
    })
    .join('; ');
}
