import type { FailureError } from "../../base/index.ts";
import type { Model } from "../../model/index.ts";

/** Reads the prompt of a workspace that replaces the built-in prompt of a tool; undefined if there is none. */
export type ReadPrompt = (tool: string) => string | undefined | Promise<string | undefined>;

/** Services of the tools that need a model. */
export interface WritingServices {
  /** Without it, these tools fail with `not_available`, except those that can work without a model. */
  readonly model?: Model | undefined;
  /** Creates the failure of a tool that cannot work without a model. */
  readonly noModel?: ((tool: string) => FailureError) | undefined;
  /** `prompts/<tool>.md` of the workspace. */
  readonly prompts?: ReadPrompt | undefined;
}
