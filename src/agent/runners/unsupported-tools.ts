import { isFailureError } from "../../base/index.ts";

/** True if a service reports that the model does not support tools. There is no code for it, only message texts. */
export function isToolsUnsupported(error: unknown): boolean {
  if (!isFailureError(error) || error.reason !== "provider_error") return false;
  const message = error.message.replace(modelName, "");
  return (
    error.toFailure().retry === "never" && /(?<![\w-])tools?\b|\btool_choice\b|\bfunction[ _-]?call/i.test(message)
  );
}

/** A model's name may mention tools, as `llama3-groq-tool-use` does; that says nothing about its service. */
const modelName = /^the model "(?:[^"\\]|\\.)*"/;
