import type { StepState } from "../interpreter/step-state.ts";

/** Every step of a run; those of sub-chains follow the step that called them. */
export function* allSteps(steps: readonly StepState[]): Generator<StepState> {
  // An explicit stack: sub-chains may be nested a hundred deep.
  const open = steps.toReversed();
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    yield state;
    for (const child of state.children?.toReversed() ?? []) open.push(child);
  }
}
