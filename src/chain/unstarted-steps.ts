import { resolveEffect } from "../engine/index.ts";
import type { JournalEvent } from "../store/index.ts";
import { stepPathOfKey } from "./interpreter/parse-step-key.ts";
import type { StepState } from "./interpreter/step-state.ts";

/**
 * Resets the steps of an inspected run that have not begun: a replay begins every step whose needs have settled, also
 * one that the process of the run could not start any more. The start of a call with side effects is journaled, so a
 * step without an event has made none. Calls that only read are not journaled before they end: whether they had started
 * is known only if the run was released, since a process starts nothing more then.
 */
export function resetUnstarted(
  steps: readonly StepState[],
  events: readonly JournalEvent[],
  isReleased: boolean,
): void {
  if (!steps.some(({ status }) => status === "running")) return;
  const begun = begunPaths(events);
  for (const state of steps) reset(state, begun, isReleased);
}

function reset(state: StepState, begun: ReadonlySet<string>, isReleased: boolean): void {
  if (state.status !== "running") return;
  for (const child of state.children ?? []) reset(child, begun, isReleased);
  if (begun.has(state.path)) return;
  const isSubChain = state.step.target.chain !== undefined;
  const hasBegun = isSubChain
    ? state.children?.some(({ status }) => status !== "pending") === true && !isReleased
    : !isReleased && !hasSideEffects(state);
  if (hasBegun) return;
  state.status = "pending";
  state.startedAt = 0;
  state.attempts = 0;
  state.input = undefined;
  state.items = undefined;
  state.children = undefined;
}

function hasSideEffects({ step, input }: StepState): boolean {
  const { tool } = step.target;
  // The effect of an item may depend on its arguments.
  if (tool === undefined || step.forEach !== undefined) return false;
  try {
    const effect = resolveEffect(tool, input);
    return effect === "once" || effect === "idempotent";
  } catch {
    return true;
  }
}

/** The paths of the steps that the journal has events of, and of the steps that called their chains. */
function begunPaths(events: readonly JournalEvent[]): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const { key } of events) {
    let path = stepPathOfKey(key);
    while (path !== "" && !paths.has(path)) {
      paths.add(path);
      path = path.slice(0, Math.max(0, path.lastIndexOf("/"))).replace(/\[\d+\]$/, "");
    }
  }
  return paths;
}
