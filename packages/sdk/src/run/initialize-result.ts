import type { SDKControlInitializeResponse } from '@rondo/protocol';
import type { Options } from '../options/options.ts';
import { accountInfo } from '../settings/account-info.ts';
import { supportedModels } from '../settings/supported-models.ts';

/** What a session with these options offers now. `model` is the one that it works with, where that is known. */
export async function initializeResult(options: Options, model?: string): Promise<SDKControlInitializeResponse> {
  const [models, account] = await Promise.all([supportedModels(options), accountInfo(options, model)]);
  return {
    commands: [],
    agents: [],
    output_style: 'default',
    available_output_styles: ['default'],
    models,
    account,
  };
}
