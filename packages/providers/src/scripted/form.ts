import type { JsonObject } from '@rondo/protocol';

/** What a value in a file looks like, as data: read by the check, by the types and by the JSON Schema. */
export type Form =
  | { readonly is: 'text' }
  | { readonly is: 'pattern' }
  | { readonly is: 'number'; readonly whole?: true }
  | { readonly is: 'boolean' }
  /** A key that says something by being there. */
  | { readonly is: 'true' }
  | { readonly is: 'object' }
  /** Any keys, with a text each. */
  | { readonly is: 'texts' }
  | { readonly is: 'choice'; readonly of: readonly (string | number)[] }
  | { readonly is: 'list'; readonly of: Form }
  | { readonly is: 'keys'; readonly keys: Readonly<Record<string, Key>> }
  /** At most one form of each kind: text, number, list, object. The value's kind tells which one is meant. */
  | { readonly is: 'one of'; readonly of: readonly Form[] };

export interface Key {
  readonly form: Form;
  readonly about: string;
  readonly required?: true;
}

type RequiredNames<Keys> = { [Name in keyof Keys]: Keys[Name] extends { required: true } ? Name : never }[keyof Keys];

/** The TypeScript type of a form. */
export type ValueOf<Of> = Of extends { is: 'text' | 'pattern' }
  ? string
  : Of extends { is: 'number' }
    ? number
    : Of extends { is: 'boolean' }
      ? boolean
      : Of extends { is: 'true' }
        ? true
        : Of extends { is: 'object' | 'texts' }
          ? Of extends { is: 'texts' }
            ? Readonly<Record<string, string>>
            : JsonObject
          : Of extends { is: 'choice'; of: readonly (infer Choice)[] }
            ? Choice
            : Of extends { is: 'list'; of: infer Member }
              ? readonly ValueOf<Member>[]
              : Of extends { is: 'keys'; keys: infer Keys }
                ? KeysOf<Keys>
                : Of extends { is: 'one of'; of: readonly (infer Each)[] }
                  ? Each extends unknown
                    ? ValueOf<Each>
                    : never
                  : never;

type FormOf<Entry> = Entry extends { form: infer Of } ? Of : never;

type KeysOf<Keys> = { readonly [Name in RequiredNames<Keys>]: ValueOf<FormOf<Keys[Name]>> } & {
  readonly [Name in Exclude<keyof Keys, RequiredNames<Keys>>]?: ValueOf<FormOf<Keys[Name]>>;
};
