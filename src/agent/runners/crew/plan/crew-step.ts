/** How hard a planner takes a step to be. */
export type Complexity = "low" | "medium" | "high";

/** One step of a crew's plan. */
export interface CrewStep {
  /** `step-1`, `step-2`, …, in the order of the plan; the part of the run under which it is told. */
  readonly id: string;
  readonly description: string;
  /** The tool that the planner wants, which there need not be; `none` to think without one. */
  readonly toolType: string;
  /** Ids of the steps whose results it needs. */
  readonly dependencies: readonly string[];
  readonly complexity: Complexity;
  /** What the planner would pass to the tool. */
  readonly input?: Readonly<Record<string, unknown>>;
}

/** The word for a step without a tool. */
export const noTool = "none";
