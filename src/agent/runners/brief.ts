import type { ConversationMessage } from "../message.ts";
import type { Gathered } from "./gathered.ts";

/** What a runner that works through another one gives it besides the question. */
export interface Brief {
  /** Told to the model behind the instructions of the user. */
  readonly rules?: readonly string[];
  /** Sent before the conversation, and no part of it. */
  readonly preface?: readonly ConversationMessage[];
  /** What tools have given already. */
  readonly earlier?: readonly Gathered[];
  /** Commands such as `@vault` in the question are text. */
  readonly noCommands?: boolean;
  /** The model takes no tools. */
  readonly noTools?: boolean;
}
