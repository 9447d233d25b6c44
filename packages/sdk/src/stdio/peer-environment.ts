import { isRecord } from '../is-record.ts';
import type { Options } from '../options/options.ts';

/** The version of the client whose wire this is: a peer may tell by it what its client understands. */
const spokenVersion = '0.3.332';

/** What the peer sees of the environment: the option's in place of this process's, and what says who drives it. */
export function peerEnvironment(options: Options): Record<string, string | undefined> {
  const given: Readonly<Record<string, unknown>> = { ...options };
  const own = options.env ?? process.env;
  const environment: Record<string, string | undefined> = {
    BUN_ENABLE_CRASH_REPORTING: '0',
    CLAUDE_CODE_ENTRYPOINT: 'sdk-ts',
    ...own,
    CLAUDE_AGENT_SDK_VERSION: spokenVersion,
    CLAUDE_CODE_SDK_READS_SESSION_STATE: '1',
    ...(given['enableFileCheckpointing'] === true ? { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: 'true' } : {}),
    ...previewFormat(given['toolConfig']),
    ...(options.home === undefined ? {} : { RONDO_HOME: options.home }),
  };
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));
}

function previewFormat(toolConfig: unknown): Record<string, string> {
  const question = isRecord(toolConfig) ? toolConfig['askUserQuestion'] : undefined;
  const format = isRecord(question) ? question['previewFormat'] : undefined;
  return typeof format === 'string' ? { CLAUDE_CODE_QUESTION_PREVIEW_FORMAT: format } : {};
}
