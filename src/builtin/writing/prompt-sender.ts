import { type WorkspaceModels, faultOf, noModel, type Model } from "../../model/index.ts";
import type { PromptSender } from "../../tool/index.ts";
import type { FailureError } from "../../base/index.ts";

/** Services of {@link createPromptSender}. */
export interface PromptServices extends WritingServices {
  /** Models that prompts may name. */
  readonly models?: Pick<WorkspaceModels, "get"> | undefined;
}

/**
 * Sends the prompts of tool files to models.
 *
 * @example
 * ```ts
 * const prompts = createPromptSender({ model: openModel(settings, { http }) });
 * const folder = createToolFolder({ dir: "tools", registry, executors, prompts });
 * ```
 */
export function createPromptSender(services: PromptServices): PromptSender {
  const { noModel: missing = noModel } = services;
  return {
    send: async (prompt, args, context) => {
      const { requestObject, requestText } = await import("./request-answer.ts");
      const call = { prompt, args, services, context };
      return prompt.schema === undefined ? (await requestText(call)).text : requestObject(call, prompt.schema);
    },
    unavailable: (name) => {
      const model = findModel(services, name);
      // The same text for all tools, so that it is stated once for several steps of a chain.
      return (model === undefined ? missing("it") : faultOf(model))?.message;
    },
    timeoutMs: (name) => findModel(services, name)?.timeoutMs,
  };
}

/** The model of this name, or the default model. */
export function findModel({ model, models }: PromptServices, name: string | undefined): PromptServices["model"] {
  return name === undefined ? model : models?.get(name);
}

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
