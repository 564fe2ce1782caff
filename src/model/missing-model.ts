import type { FailureError } from "../base/index.ts";
import { keyedServices, type Environment, modelVariables, valueOf } from "./known-services.ts";
import { modelFailure } from "./port/model-reasons.ts";

/** Configuration found when a model is missing. */
interface ModelSetupFacts {
  readonly env?: Environment;
  /** The configured models, none of them the default. */
  readonly names?: readonly string[];
}

/** The failure of a feature that needs a model if none is configured; it says exactly what to set. */
export function noModel(feature: string, known: ModelSetupFacts = {}): FailureError {
  return modelFailure("no_model", `${feature} needs a model, and ${modelSetupHint(known)}`, {
    forModel: `${feature} is not available: no model is configured; continue without it`,
  });
}

/** States what is missing, with the lines to type for the services whose keys are set. */
export function modelSetupHint({ env = {}, names = [] }: ModelSetupFacts): string {
  const [first] = names;
  if (first !== undefined) {
    const others = `none is the default (there ${names.length === 1 ? "is" : "are"} ${names.join(", ")})`;
    return `${others}: name one with --model ${first} or agent: { model: ${first} } in windlass.yaml, or name one "default"`;
  }
  const lines = exportLines(env);
  if (lines.length > 0) return ["none is configured; a key is set, so one line is enough:", ...lines].join("\n");
  const { baseUrl, provider } = modelVariables;
  return [
    "none is configured; set one in this shell, or under models: in windlass.yaml:",
    exported({ [baseUrl]: "http://127.0.0.1:11434/v1", [modelVariables.name]: "qwen3" }, "Ollama"),
    exported({ [baseUrl]: "https://api.openai.com/v1", [modelVariables.name]: "gpt-5-mini" }, "with OPENAI_API_KEY"),
    exported(
      { [provider]: "anthropic", [modelVariables.name]: "claude-sonnet-4-5" },
      "with ANTHROPIC_API_KEY; or google",
    ),
  ].join("\n");
}

/** One line for each service whose key is set, with the named model or one of the service. */
export function exportLines(env: Environment, model?: string): string[] {
  const isSet = (variable: string): boolean => valueOf(env, variable) !== undefined;
  return keyedServices(env).map((service) => {
    const { provider = "openai-compatible", baseUrl } = service;
    const isDefault = provider === "openai-compatible";
    const assigned = {
      // A variable that is already set to another value is set again.
      ...((!isDefault || isSet(modelVariables.provider)) && { [modelVariables.provider]: provider }),
      ...((isDefault || isSet(modelVariables.baseUrl)) && { [modelVariables.baseUrl]: baseUrl }),
      [modelVariables.name]: model ?? service.model,
    };
    return exported(assigned, service.variable);
  });
}

function exported(assigned: Readonly<Record<string, string>>, about: string): string {
  const words = Object.entries(assigned).map(([variable, value]) => `${variable}=${value}`);
  return `  export ${words.join(" ")}  # ${about}`;
}
