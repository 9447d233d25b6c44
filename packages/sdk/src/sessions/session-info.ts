import type { SDKSessionInfo, SessionInfo } from '@rondo/protocol';

/** A session as the second seed lists it. */
export function sdkSessionInfo(info: SessionInfo): SDKSessionInfo {
  return {
    sessionId: info.id,
    summary: info.title ?? info.firstPrompt ?? 'A session without a message',
    lastModified: Date.parse(info.updatedAt),
    createdAt: Date.parse(info.createdAt),
    cwd: info.cwd,
    ...(info.logBytes === undefined ? {} : { fileSize: info.logBytes }),
    ...(info.gitBranch === undefined ? {} : { gitBranch: info.gitBranch }),
    ...(info.title === undefined ? {} : { customTitle: info.title }),
    ...(info.firstPrompt === undefined ? {} : { firstPrompt: info.firstPrompt }),
    ...(info.tag === undefined ? {} : { tag: info.tag }),
  };
}
