import { importSessions, type ImportedSession } from '@rondo/sdk';

export interface ImportTextOptions {
  readonly dryRun: boolean;
  readonly json: boolean;
}

interface Report {
  readonly text: string;
  readonly exitCode: number;
}

/**
 * Makes sessions of transcript files, and says of each what became of it and what of it was left out; exit code 1 where a line
 * could not be read or a session not be imported.
 */
export async function importSessionsText(
  files: readonly string[],
  { dryRun, json }: ImportTextOptions,
): Promise<Report> {
  const { sessions, problems } = await importSessions(files, { dryRun });
  const exitCode = problems.length > 0 || sessions.some(({ error }) => error !== undefined) ? 1 : 0;
  if (json) {
    const plain = sessions.map(({ error, ...rest }) =>
      error === undefined ? rest : { ...rest, error: error.message },
    );
    return { text: `${JSON.stringify({ dryRun, sessions: plain, problems }, null, 2)}\n`, exitCode };
  }
  const text = sessions.map((session) => sessionText(session, dryRun)).join('');
  return { text: text + problems.map((problem) => `  Not read: ${problem}\n`).join(''), exitCode };
}

function sessionText({ sessionId, outcome, lines = 0, leftOut = {}, error }: ImportedSession, dryRun: boolean): string {
  if (error !== undefined) return `${sessionId}  was not imported: ${error.message}\n`;
  const what = {
    made: dryRun ? `would be made of ${lines} lines` : `was made of ${lines} lines`,
    'added to': dryRun ? `would get ${lines} lines more` : `got ${lines} lines more`,
    known: 'has all of it already',
  }[outcome ?? 'known'];
  const left = Object.entries(leftOut).map(([name, count]) => `  Left out: ${count} ${name}\n`);
  const way = dryRun || outcome === 'known' ? '' : `  Go on with: rondo --resume ${sessionId}\n`;
  return `${sessionId}  ${what}\n${left.join('')}${way}`;
}
