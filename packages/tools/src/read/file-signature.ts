export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/** What a file's first bytes say it is. Names are for people. */
export type FileSignature =
  | { readonly kind: 'image'; readonly mediaType: ImageType }
  | { readonly kind: 'pdf' }
  | { readonly kind: 'binary'; readonly name: string };

const names: readonly (readonly [name: string, offset: number, bytes: string])[] = [
  ['an ELF program or library', 0, '\x7fELF'],
  ['a Windows program', 0, 'MZ\x90'],
  ['a Mach-O program', 0, '\xcf\xfa\xed\xfe'],
  ['a WebAssembly module', 0, '\0asm'],
  ['a Java class', 0, '\xca\xfe\xba\xbe'],
  ['a ZIP archive (also .jar, .docx, .xlsx)', 0, 'PK\x03\x04'],
  ['a gzip archive', 0, '\x1f\x8b'],
  ['a bzip2 archive', 0, 'BZh'],
  ['an xz archive', 0, '\xfd7zXZ\0'],
  ['a Zstandard archive', 0, '\x28\xb5\x2f\xfd'],
  ['a 7-Zip archive', 0, '7z\xbc\xaf\x27\x1c'],
  ['a tar archive', 257, 'ustar'],
  ['an SQLite database', 0, 'SQLite format 3\0'],
  ['an MP4 or QuickTime video', 4, 'ftyp'],
  ['an Ogg file', 0, 'OggS'],
  ['an MP3 file', 0, 'ID3'],
  ['a TIFF image', 0, 'II*\0'],
  ['a TIFF image', 0, 'MM\0*'],
  ['an icon', 0, '\0\0\x01\0'],
];

export function readSignature(bytes: Buffer): FileSignature | undefined {
  const has = (offset: number, text: string) => bytes.toString('latin1', offset, offset + text.length) === text;
  if (has(0, '\x89PNG\r\n\x1a\n')) return { kind: 'image', mediaType: 'image/png' };
  if (has(0, '\xff\xd8\xff')) return { kind: 'image', mediaType: 'image/jpeg' };
  if (has(0, 'GIF87a') || has(0, 'GIF89a')) return { kind: 'image', mediaType: 'image/gif' };
  if (has(0, 'RIFF') && has(8, 'WEBP')) return { kind: 'image', mediaType: 'image/webp' };
  if (has(0, '%PDF-')) return { kind: 'pdf' };
  const known = names.find(([, offset, text]) => has(offset, text));
  return known === undefined ? undefined : { kind: 'binary', name: known[0] };
}
