import type { ClientToolStub } from '@rondo/client';
import type {
  Ask,
  Continue,
  HookContext,
  HookResult,
  LoopHook,
  PostAgentTurn,
  PostLlmCall,
  PostToolCall,
  PreAgentTurn,
  PreLlmCall,
  PreToolCall,
  Reject,
  Retry,
  SessionInputs,
  Skip,
  Tool,
} from '@rondo/runtime';

/** A hook as an agent takes it. */
export interface AgentHook extends LoopHook {
  /**
   * Tools that come with the hook: the model has them beside the agent's own. No handle knows them, so that the calls of
   * a client tool are answered by `onClientTool` or by ID, with any JSON.
   */
  readonly tools?: readonly (Tool | ClientToolStub)[];
}

/**
 * Base of hooks and guardrails: extend it with the points that the hook has something to say at. A plain object with a
 * `name` and the same functions does as well.
 */
export class Hook implements AgentHook {
  /**
   * The class's name unless set. Sessions know the hook by it: set one that stays where classes are renamed, as bundlers
   * do, or where an agent has two hooks of one class.
   */
  readonly name: string = this.constructor.name;
  readonly inputs?: SessionInputs;
  readonly tools?: readonly (Tool | ClientToolStub)[];
  /** How long a run may take; a minute unless set. */
  readonly timeoutMs?: number;

  /** Once a turn, before the model sees what the user said. */
  preAgentTurn?(context: HookContext, turn: PreAgentTurn): HookResult<Continue | Skip>;
  /** Before each model call. */
  preLlmCall?(context: HookContext, call: PreLlmCall): HookResult<Continue | Skip>;
  /** After each reply, before it counts. */
  postLlmCall?(context: HookContext, reply: PostLlmCall): HookResult<Continue | Retry | Reject>;
  /** Before each tool call, before the policy judges it. */
  preToolCall?(context: HookContext, call: PreToolCall): HookResult<Continue | Skip | Ask>;
  /** After each call that ran, before the model reads its result. */
  postToolCall?(context: HookContext, call: PostToolCall): HookResult<Continue>;
  /** Before a completed turn ends. */
  postAgentTurn?(context: HookContext, turn: PostAgentTurn): HookResult<Continue>;
}
