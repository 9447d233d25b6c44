import type { MethodParams } from '@rondo/protocol';
import type { RequestOptions } from './connection/connection.ts';
import type { HistoryInput } from './content/history-import.ts';

export type CreateSessionOptions = Omit<MethodParams<'session/create'>, 'history'> &
  RequestOptions & {
    /** What the session begins with. It runs nothing; an entry that cannot be throws before anything is sent. */
    readonly history?: readonly HistoryInput[];
  };
export type ListSessionsOptions = Omit<MethodParams<'session/list'>, 'before'> & RequestOptions;
