import type { FunctionCode } from "./function-call.ts";
import type { FunctionName } from "./function-names.ts";
import { listFunctions } from "./list-functions.ts";
import { numberFunctions } from "./number-functions.ts";
import { textFunctions } from "./text-functions.ts";
import { valueFunctions } from "./value-functions.ts";

/** What each function does; `default()` is compiled like `??`, which it is. */
export const functions: Readonly<Record<Exclude<FunctionName, "default">, FunctionCode>> = {
  ...valueFunctions,
  ...textFunctions,
  ...listFunctions,
  ...numberFunctions,
};
