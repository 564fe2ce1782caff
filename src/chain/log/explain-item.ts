import { fail } from "../../base/index.ts";
import type { ItemState, StepState } from "../interpreter/step-state.ts";
import type { ExplainFact } from "../texts/explain-fact.ts";
import { attemptFact, toFactError } from "./explain-attempts.ts";
import { showShort } from "./log-value.ts";
import type { StepLocation } from "./step-location.ts";

/** Explains one item of a `for_each`: its arguments, its failures, and its output. */
export function explainItem(site: StepLocation, index: number): ExplainFact[] {
  const item = itemOf(site.state, index);
  return [
    opening(site, item, index),
    ...itemInput(site, index),
    ...(site.state.failures ?? []).filter((failed) => failed.item === index).map((one) => attemptFact(one, site)),
    ...inside(site.state, index),
    ...result(site, item, index),
  ];
}

function itemOf({ path, items = [] }: StepState, index: number): ItemState {
  const item = items[index];
  if (item !== undefined) return item;
  const known = items.length === 0 ? "it has processed none" : `its items are 0 to ${items.length - 1}`;
  throw fail(`${path} has no item ${index}; ${known}`, { code: "validation_error", reason: "unknown_step" });
}

function opening({ state, redactor }: StepLocation, item: ItemState, index: number): ExplainFact {
  const subject = { step: state.path, item: index };
  const tool = state.step.target.name;
  const { attempts, durationMs: ms, error } = item;
  switch (item.status) {
    case "success":
      return { code: "succeeded", params: { ...subject, tool, attempts, ms } };
    case "recovered":
      return { code: "recovered", params: { ...subject, tool, attempts, ms } };
    case "failed": {
      const why = error && { error: toFactError(error, redactor) };
      return { code: "failed", params: { ...subject, attempts, ms, ...why } };
    }
    case "cancelled":
      return { code: "cancelled", params: attempts === 0 ? subject : { ...subject, ms } };
    default:
      // Until it ends, only its arguments are recorded.
      return { code: argumentsOf(state, index) === undefined ? "not_begun" : "not_ended", params: subject };
  }
}

function itemInput(site: StepLocation, index: number): ExplainFact[] {
  const args = argumentsOf(site.state, index);
  return args === undefined ? [] : [{ code: "item_input", params: { value: showShort(args, site) } }];
}

function argumentsOf({ input }: StepState, index: number): unknown {
  return Array.isArray(input) ? (input[index] as unknown) : undefined;
}

/** The steps of the chain that was called for it. */
function inside({ path, children = [] }: StepState, index: number): ExplainFact[] {
  const own = children.filter((child) => child.path.startsWith(`${path}[${index}]/`));
  if (own.length === 0) return [];
  return [{ code: "steps_inside", params: { steps: own.map(({ path: step, status }) => ({ step, status })) } }];
}

function result(site: StepLocation, { status }: ItemState, index: number): ExplainFact[] {
  const { output, step } = site.state;
  if (status === "failed" && Array.isArray(output)) return [{ code: "item_tolerated", params: {} }];
  if ((status !== "success" && status !== "recovered") || !Array.isArray(output)) return [];
  const selected = step.select !== undefined && status !== "recovered";
  return [{ code: "output", params: { value: showShort(output[index], site), selected } }];
}
