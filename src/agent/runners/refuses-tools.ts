import { isFailureError } from "../../base/index.ts";

/** Does a service say that the model takes no tools? There is no code for it, only words. */
export function refusesTools(error: unknown): boolean {
  if (!isFailureError(error) || error.reason !== "provider_error") return false;
  const said = error.message.replace(modelName, "");
  return error.toFailure().retry === "never" && /(?<![\w-])tools?\b|\btool_choice\b|\bfunction[ _-]?call/i.test(said);
}

/** A model may be named for its tools, as `llama3-groq-tool-use` is; that says nothing of what its service takes. */
const modelName = /^the model "(?:[^"\\]|\\.)*"/;

/** Does a service not understand what it was sent? Who else refuses has the same reason, and other words. */
export function refusesRequest(error: unknown): boolean {
  return isFailureError(error) && error.reason === "provider_error" && / answered (?:400|422): /.test(error.message);
}
