/** Difficulty of a step, as estimated by the planner. */
export type Complexity = "low" | "medium" | "high";

/** One step of a crew's plan. */
export interface CrewStep {
  /** `step-1`, `step-2`, …, in the order of the plan; also the part of the run in its events. */
  readonly id: string;
  readonly description: string;
  /** The tool that the planner chose, which may not exist; `none` for reasoning without a tool. */
  readonly toolType: string;
  /** Ids of the steps whose results it needs. */
  readonly dependencies: readonly string[];
  readonly complexity: Complexity;
  /** Arguments suggested by the planner. */
  readonly input?: Readonly<Record<string, unknown>>;
}

/** Tool name of a step without a tool. */
export const noTool = "none";
