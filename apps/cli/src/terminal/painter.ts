import { styleText } from 'node:util';

export type Style = 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow';
export type Paint = (style: Style, text: string) => string;

/** Colours where the stream is a terminal that shows them; NO_COLOR and FORCE_COLOR count. */
export function createPainter(stream: NodeJS.WritableStream): Paint {
  return (style, text) => styleText(style, text, { stream });
}

export const plain: Paint = (_, text) => text;
