import type { ShellLine } from './shell-line.ts';

/** Takes a line apart. Never throws and always ends; what it cannot read, it says to be unclear. */
export type AnalyzeShellLine = (text: string) => ShellLine;

/** The analyzer with its parser, loaded when the first shell line has to be judged and not before. */
export async function loadShellAnalyzer(): Promise<AnalyzeShellLine> {
  return (await import('./analyze-shell-line.ts')).analyzeShellLine;
}
