import { askToThink } from "./ask-to-think.ts";
import type { ModelFamily } from "./model-family.ts";
import { createTextReader } from "./text-reader.ts";
import { unwrapArguments } from "./unwrap-arguments.ts";

/** A model without particulars: what every other family is made of. */
export const baseFamily: ModelFamily = {
  name: "base",
  thoughts: "own",
  includes: () => true,
  systemPrompt: (base) => base,
  userMessage: (text) => text,
  prepare: askToThink,
  textReader: () => createTextReader(),
  repairCall: unwrapArguments,
};
