import type { FailureError } from "../../base/index.ts";
import type { Model } from "../../model/index.ts";

/** Reads the prompt that a workspace has for a tool in place of the built-in one; undefined where it has none. */
export type ReadPrompt = (tool: string) => string | undefined | Promise<string | undefined>;

/** What the tools that need a model work with. */
export interface WritingServices {
  /** Where absent, these tools answer `not_available`, except those that can do without. */
  readonly model?: Model | undefined;
  /** What a tool fails with that cannot do without. */
  readonly noModel?: ((tool: string) => FailureError) | undefined;
  /** `prompts/<tool>.md` of the workspace. */
  readonly prompts?: ReadPrompt | undefined;
}
