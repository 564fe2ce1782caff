import type { FailureError } from "../../base/index.ts";
import { modelLabel } from "./retry-with-backoff.ts";
import type { Model } from "../port/model.ts";
import { modelFailure } from "../port/model-reasons.ts";

/** The reason why a model is unusable: it was made for an older AI SDK with an incompatible interface. */
export function wrongInterface(model: Model): FailureError | undefined {
  // Not trusted to match its type: models come from packages of many versions.
  const version: string | undefined = model.specificationVersion;
  if (version === undefined || version === "v4") return undefined;
  return modelFailure(
    "no_model",
    `${modelLabel(model)} has the interface ${version} of the AI SDK, and v4 is needed: use a newer version of its ` +
      "package, or wrapLanguageModel({ model, middleware: [] }) of ai 7",
    { forModel: "no model is configured correctly; continue without anything that needs one" },
  );
}
