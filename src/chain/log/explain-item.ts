import { fail } from "../../base/index.ts";
import { formatDuration } from "../../text/index.ts";
import type { ItemState, StepState } from "../interpreter/step-state.ts";
import { attemptSentence } from "./explain-attempts.ts";
import { countOf, joinWithAnd, quoteSentence } from "./sentence-format.ts";
import { showShort } from "./show-reference.ts";
import type { StepLocation } from "./step-location.ts";

/** Explains one item of a `for_each`: its arguments, its failures, and its output. */
export function explainItem(site: StepLocation, index: number): string[] {
  const item = itemOf(site.state, index);
  return [
    opening(site, item, index),
    ...itemInput(site, index),
    ...(site.state.failures ?? []).filter((failed) => failed.item === index).map((one) => attemptSentence(one, site)),
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

function opening({ state, redactor }: StepLocation, item: ItemState, index: number): string {
  const subject = `Item ${index} of ${state.path}`;
  const { name } = state.step.target;
  const took = formatDuration(item.durationMs);
  const tries = item.attempts > 1 ? ` and ${countOf(item.attempts, "attempt")}` : "";
  switch (item.status) {
    case "success":
      return `${subject} called ${name} and succeeded after ${took}${tries}.`;
    case "recovered":
      return `${subject} called ${name}, which failed; a fallback replaced it. It took ${took}${tries}.`;
    case "failed": {
      const { error } = item;
      const why =
        error === undefined
          ? "no reason was recorded"
          : `${error.code}: ${quoteSentence(redactor.text(error.message))}`;
      return `${subject} failed after ${took}${tries}: ${why}.`;
    }
    case "cancelled":
      return item.attempts === 0
        ? `${subject} was cancelled before it began.`
        : `${subject} was cancelled after ${took}.`;
    default:
      // Until it ends, only its arguments are recorded.
      return argumentsOf(state, index) === undefined ? `${subject} has not begun.` : `${subject} has not ended.`;
  }
}

function itemInput(site: StepLocation, index: number): string[] {
  const args = argumentsOf(site.state, index);
  return args === undefined ? [] : [`Its arguments were ${showShort(args, site)}.`];
}

function argumentsOf({ input }: StepState, index: number): unknown {
  return Array.isArray(input) ? (input[index] as unknown) : undefined;
}

/** The steps of the chain that was called for it. */
function inside({ path, children = [] }: StepState, index: number): string[] {
  const own = children.filter((child) => child.path.startsWith(`${path}[${index}]/`));
  if (own.length === 0) return [];
  return [`Its steps are ${joinWithAnd(own.map((child) => `${child.path} (${child.status})`))}.`];
}

function result(site: StepLocation, { status }: ItemState, index: number): string[] {
  const { output, step } = site.state;
  if (status === "failed" && Array.isArray(output))
    return ["The failure was tolerated: its entry in the output is null."];
  if ((status !== "success" && status !== "recovered") || !Array.isArray(output)) return [];
  const after = step.select === undefined || status === "recovered" ? "" : " after select";
  return [`Its output${after} was ${showShort(output[index], site)}.`];
}
