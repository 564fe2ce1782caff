import type { FailureError } from "../base/index.ts";
import { nameOf } from "./ask-again.ts";
import type { Model } from "./model.ts";
import { modelFailure } from "./model-reasons.ts";

/** Why a model cannot be asked at all: it was made for an older AI SDK, which reads and writes otherwise. */
export function wrongInterface(model: Model): FailureError | undefined {
  // Whatever its type says: models come from packages of many ages.
  const version: string | undefined = model.specificationVersion;
  if (version === undefined || version === "v4") return undefined;
  return modelFailure(
    "no_model",
    `${nameOf(model)} has the interface ${version} of the AI SDK, and v4 is needed: use a newer version of its ` +
      "package, or wrapLanguageModel({ model, middleware: [] }) of ai 7",
    { forModel: "no model is set up properly; go on without what needs one" },
  );
}
