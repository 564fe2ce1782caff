import type { AgentSpec } from "../../run/agent-spec.ts";
import { isRecord } from "../../../schema/index.ts";

/** What the crew takes as `options` of its agent. */
export interface CrewOptions {
  /** A longer plan is shortened; 12 where absent, 50 at most. */
  readonly maxSteps: number;
  /**
   * Who words the answer: the `model`, from all results; the `last` result is it; or `auto`, which is the model unless
   * there is one step only, and it was done by thinking.
   */
  readonly answer: "auto" | "model" | "last";
}

const usual: CrewOptions = { maxSteps: 12, answer: "auto" };
const mostSteps = 50;

/** The options of an agent as the crew reads them; what makes no sense counts as absent. */
export function readCrewOptions({ options }: AgentSpec): CrewOptions {
  const given: Readonly<Record<string, unknown>> = isRecord(options) ? options : {};
  const { maxSteps, answer } = given;
  return {
    maxSteps: isCount(maxSteps) ? Math.min(maxSteps, mostSteps) : usual.maxSteps,
    answer: answer === "model" || answer === "last" ? answer : usual.answer,
  };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1;
}
