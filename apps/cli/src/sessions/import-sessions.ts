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

function sessionText(session: ImportedSession, dryRun: boolean): string {
  const { sessionId, outcome, lines = 0, subagents = 0, leftOut = {}, error } = session;
  if (error !== undefined) return `${sessionId}  was not imported: ${error.message}\n`;
  const below = subagents === 0 ? '' : ` and ${subagents} ${subagents === 1 ? 'subagent' : 'subagents'}`;
  const what = {
    made: `${dryRun ? 'would be' : 'was'} made of ${lines} lines${below}`,
    'added to': `${dryRun ? 'would get' : 'got'} ${lines} lines more${below}`,
    known: 'has all of it already',
  }[outcome ?? 'known'];
  const left = Object.entries(leftOut).map(([name, count]) => `  Left out: ${count} ${name}\n`);
  const way = dryRun || outcome === 'known' ? '' : `  Go on with: rondo --resume ${sessionId}\n`;
  return `${sessionId}  ${what}\n${left.join('')}${way}`;
}
