/** A fenced block of a page: its language, and what the page says is done with it. */
export interface GuideBlock {
  readonly language: string;
  /** The file that the reader is to have. */
  readonly file?: string;
  readonly run: boolean;
  readonly text: string;
  readonly line: number;
}

/** The blocks of a page in their order. `yaml file=a.yaml` is a file, `ts run` and `sh run` are run. */
export function guideBlocks(page: string): GuideBlock[] {
  return [...page.matchAll(/^```(\w+)([^\n]*)\n(.*?)^```$/gms)].map((found) => {
    const [, language = '', rest = '', text = ''] = found;
    const file = /file=(\S+)/.exec(rest)?.[1];
    const line = page.slice(0, found.index).split('\n').length;
    return { language, run: /\brun\b/.test(rest), text, line, ...(file === undefined ? {} : { file }) };
  });
}
