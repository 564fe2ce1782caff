import type { Plan } from "./plan/plan.ts";
import type { RunEvent, RunListener } from "./run/run-events.ts";

/** How far a chain is that was called as a tool. */
export interface StepProgress {
  /** Steps that are over. */
  readonly progress: number;
  /** Steps in all, those of sub-chains not counted. */
  readonly total: number;
  readonly message: string;
}

/** Tells the caller of a chain how far it is: the step that begins, and what the steps report. */
export function stepProgress(plan: Plan, tell: (progress: StepProgress) => void): RunListener {
  const total = plan.steps.length;
  /** Numbered in the order in which they begin. */
  const places = new Map<string, number>();
  let over = 0;
  const say = (message: string): void => tell({ progress: over, total, message });
  const placeOf = (step: string): number => {
    const [own = step] = step.split("/");
    const place = places.get(own) ?? places.size + 1;
    places.set(own, place);
    return place;
  };
  const numbered = (step: string): string => `step ${placeOf(step)} of ${total}: ${step}`;
  return (event) => {
    switch (event.type) {
      case "step-started":
        say(numbered(event.step));
        return;
      case "step-progress":
        say(`${numbered(event.step)}: ${textOf(event.value)}`);
        return;
      case "step-waiting":
        say(`${numbered(event.step)} waits for approval`);
        return;
      case "step-finished":
        finished(event);
        return;
      case "run-started":
      case "step-retrying":
      case "step-fallback":
      case "step-decided":
      case "item-finished":
      case "run-finished":
    }
  };

  function finished({ step, status }: Extract<RunEvent, { type: "step-finished" }>): void {
    // A step of a sub-chain is a part of one.
    if (step.includes("/")) return;
    over++;
    say(`${numbered(step)} ${status}`);
  }
}

const longest = 200;

function textOf(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;
}
