import { existsSync } from 'node:fs';

const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Path of a Chromium on this machine: what `RONDO_BROWSER` names, or where packages put one. Undefined where there is none. */
export function findBrowser(env = process.env) {
  const { RONDO_BROWSER: named } = env;
  if (named !== undefined && named !== '') return named;
  return places.find((place) => existsSync(place));
}
