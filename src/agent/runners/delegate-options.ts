import type { ConversationMessage } from "../events/message.ts";
import type { GatheredResult } from "./gathered-results.ts";

/** Options that a runner passes to another runner, in addition to the prompt. */
export interface DelegateOptions {
  /** Sent to the model after the instructions of the user. */
  readonly rules?: readonly string[];
  /** Sent before the conversation, and not part of it. */
  readonly preface?: readonly ConversationMessage[];
  /** Tool results gathered before. */
  readonly earlier?: readonly GatheredResult[];
  /** Commands such as `@vault` in the prompt are text. */
  readonly noCommands?: boolean;
  /** The model does not support tools. */
  readonly noTools?: boolean;
}
