import { errorMessage } from "../../base/index.ts";
import type { Schema, Validation } from "../../schema/index.ts";

/** Validates a value. A schema that throws accepts nothing: its error does not stop the other candidates. */
export function checkArguments(schema: Schema, value: unknown): Validation<unknown> | Promise<Validation<unknown>> {
  try {
    const found = schema.validate(value);
    return found instanceof Promise ? found.catch(broke) : found;
  } catch (error) {
    return broke(error);
  }
}

function broke(error: unknown): Validation<unknown> {
  return {
    issues: [{ path: [], code: "schema", message: `the check of the arguments broke: ${errorMessage(error)}` }],
  };
}
