import type { ImportReport, ImportSessionsOptions } from './import-report.ts';

/**
 * Makes sessions of transcripts in the public JSONL shape, such as Rondo writes for hooks. A file may hold several sessions; each
 * keeps its ID. What is there already is not imported twice. Nothing is run.
 * @throws RondoError `input.invalid` for a file that cannot be read.
 */
export async function importSessions(
  files: readonly string[],
  options: ImportSessionsOptions = {},
): Promise<ImportReport> {
  const { importFiles } = await import('./import-files.ts');
  return await importFiles(files, options);
}
