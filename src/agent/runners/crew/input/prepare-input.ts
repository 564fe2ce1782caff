import { fail } from "../../../../base/index.ts";
import { isRecord } from "../../../../schema/index.ts";
import { fact } from "../../../flow/fact.ts";
import type { Flow } from "../../../flow/flow.ts";
import type { AgentRun } from "../../../run/agent-run.ts";
import { type FillParts, fillInput, inputIssues } from "./fill-input.ts";
import { type Arguments, expressionOf, ruledInput } from "./ruled-input.ts";

/** A failure with this reason has nothing to do with the tool: no other tool would have more to go by. */
export const nothingToCalculate = "nothing_to_calculate";

/**
 * The arguments of a step's call: what the planner gave where that fits, what a rule finds for tools of calculation,
 * search, time and history, else what the model fills in. A calculation without a calculation fails at once.
 */
export function* prepareInput(run: AgentRun, parts: FillParts): Flow<Arguments> {
  const { target, given, description } = parts;
  const source = { description, given, results: parts.results.map(({ text }) => text) };
  if (target.kind === "calculate" && expressionOf(source) === undefined) {
    throw fail(`there is nothing to calculate in ${JSON.stringify(description.slice(0, 80).toWellFormed())}`, {
      code: "validation_error",
      reason: nothingToCalculate,
    });
  }
  return (yield* fact(parts.key, () => ready(run, parts) ?? null)) ?? (yield* fillInput(run, parts));
}

/** Arguments that are there without a question, and fit. */
function ready(run: AgentRun, { target, given, description, results }: FillParts): Arguments | undefined {
  const { kind, schema } = target;
  const fits = (args: Arguments): boolean => inputIssues(run, target, args).length === 0;
  // With results to build on, the planner could not know yet.
  if (given !== undefined && results.length === 0 && fits(given)) return given;
  const ruled = ruledInput(kind, schema, { description, given, results: results.map(({ text }) => text) });
  if (ruled !== undefined && fits(ruled)) return ruled;
  const { properties } = schema;
  const takesNothing = isRecord(properties) && Object.keys(properties).length === 0;
  return takesNothing && fits({}) ? {} : undefined;
}
