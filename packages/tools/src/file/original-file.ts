/** Most characters of a file's former content that a result carries. */
const mostOriginalCharacters = 256 * 1024;

/** A file's content before a change, for programs: whole, or its beginning and a flag that says so. */
export function originalFileFields(original: string): {
  readonly originalFile: string;
  readonly originalFileTruncated?: true;
} {
  if (original.length <= mostOriginalCharacters) return { originalFile: original };
  return { originalFile: original.slice(0, mostOriginalCharacters), originalFileTruncated: true };
}
