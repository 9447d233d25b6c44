/** What a vendor takes of JSON Schema in a tool's input. An absent rule leaves things as they are. */
export interface SchemaRules {
  /** Keywords that the outermost schema may not have; combinators among them are merged into one object. */
  readonly forbiddenAtTop?: readonly string[];
  /** Puts the schema that a `$ref` names in its place. One that leads back to itself is cut there. */
  readonly inlineReferences?: boolean;
  /** No keyword but these. */
  readonly onlyKeywords?: readonly string[];
  readonly droppedKeywords?: readonly string[];
  /** How to write that a value may be of several types: `anyOf`, or the word `nullable` beside one type. */
  readonly typeLists?: 'anyOf' | 'nullable';
  /** Writes `const` as an `enum` of one. */
  readonly constantsAsEnums?: boolean;
  /** Takes `enum` for strings alone. */
  readonly stringEnumsOnly?: boolean;
  /** Takes no `true` or `false` where a schema may stand, but for `additionalProperties`. */
  readonly objectSchemasOnly?: boolean;
  /** Every object lists its `properties` and every array its `items`, be it nothing. */
  readonly namesMembers?: boolean;
  /** Schemas inside each other. */
  readonly maximumDepth?: number;
  /** Properties in the whole schema; optional ones are left out first. */
  readonly maximumProperties?: number;
}
