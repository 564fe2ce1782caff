import type { FailureError } from "../base/index.ts";
import { keyedServices } from "./known-services.ts";
import { modelFailure } from "./model-reasons.ts";
import { type Environment, modelVariables, valueOf } from "./model-variables.ts";

/** What there is where a model is missing. */
export interface WithoutModel {
  readonly env?: Environment;
  /** The models that are set up, none of them the default. */
  readonly names?: readonly string[];
}

/** The failure of something that needs a model where none is configured; it says exactly what to set. */
export function noModel(who: string, known: WithoutModel = {}): FailureError {
  return modelFailure("no_model", `${who} needs a model, and ${howToHaveModel(known)}`, {
    forModel: `${who} is not available: no model is configured; go on without it`,
  });
}

/** What is missing, and the lines to type for what is there. */
export function howToHaveModel({ env = {}, names = [] }: WithoutModel): string {
  const [first] = names;
  if (first !== undefined) {
    const others = `none is the default (there ${names.length === 1 ? "is" : "are"} ${names.join(", ")})`;
    return `${others}: name one with --model ${first} or agent: { model: ${first} } in windlass.yaml, or call one default`;
  }
  const lines = exportsFor(env);
  if (lines.length > 0) return ["none is configured; a key is there, so one line is enough:", ...lines].join("\n");
  const { baseUrl, provider } = modelVariables;
  return [
    "none is configured; set one, here or as models: in windlass.yaml:",
    exported({ [baseUrl]: "http://127.0.0.1:11434/v1", [modelVariables.name]: "qwen3" }, "Ollama"),
    exported({ [baseUrl]: "https://api.openai.com/v1", [modelVariables.name]: "gpt-5-mini" }, "with OPENAI_API_KEY"),
    exported(
      { [provider]: "anthropic", [modelVariables.name]: "claude-sonnet-4-5" },
      "with ANTHROPIC_API_KEY; or google",
    ),
  ].join("\n");
}

/** A line for each service whose key is there, with the model that was named or one of its own. */
export function exportsFor(env: Environment, model?: string): string[] {
  const isSet = (variable: string): boolean => valueOf(env, variable) !== undefined;
  return keyedServices(env).map((service) => {
    const { provider = "openai-compatible", baseUrl } = service;
    const isUsual = provider === "openai-compatible";
    const assigned = {
      // What is set already to something else is set anew.
      ...((!isUsual || isSet(modelVariables.provider)) && { [modelVariables.provider]: provider }),
      ...((isUsual || isSet(modelVariables.baseUrl)) && { [modelVariables.baseUrl]: baseUrl }),
      [modelVariables.name]: model ?? service.model,
    };
    return exported(assigned, service.variable);
  });
}

function exported(assigned: Readonly<Record<string, string>>, about: string): string {
  const words = Object.entries(assigned).map(([variable, value]) => `${variable}=${value}`);
  return `  export ${words.join(" ")}  # ${about}`;
}
