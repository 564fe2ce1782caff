import type { LeftOutTool } from "../../tool/index.ts";
import { briefly } from "./all-failed.ts";
import type { Combined } from "./combine.ts";
import type { Entrant, PassedOver } from "./entrants.ts";
import type { Tried } from "./judge-result.ts";

/** What became of a choice. */
export interface Chosen {
  readonly combined: Combined;
  /** Everything that was called. */
  readonly tried: readonly Tried[];
  /** What was still running when the time was over. */
  readonly late: readonly Entrant[];
  readonly passed: readonly PassedOver[];
}

/** More than this of those who failed, or were not called, is not told. */
const mostTold = 5;

/** What is told of a result besides its output: whose it is, and who failed or was not even called. */
export function choiceMeta({ combined, tried, late, passed }: Chosen): Readonly<Record<string, unknown>> {
  const { synthesized, by, used } = combined;
  const sources = new Set(used.map(({ entrant }) => entrant.candidate.registration.source));
  const failed = [...tried.flatMap(failureOf), ...late.map(tooLate)];
  return {
    source: sources.size === 1 ? [...sources].join("") : "hub",
    synthesized,
    sourceCount: used.length,
    sources: used.map(({ entrant }) => entrant.candidate.label),
    ...(by !== undefined && { synthesis: by }),
    ...(failed.length > 0 && { failed: failed.slice(0, mostTold), failedCount: failed.length }),
    ...(passed.length > 0 && { passedOver: passed.slice(0, mostTold).map(toLeftOut), passedOverCount: passed.length }),
  };
}

/** Who was stopped because another was first did not fail. */
function failureOf({ entrant, verdict }: Tried): LeftOutTool[] {
  if (verdict.kind !== "failed" || verdict.failure.code === "cancelled") return [];
  const { code, message } = verdict.failure;
  return [{ tool: entrant.candidate.label, code, message: briefly(message) }];
}

function tooLate({ candidate }: Entrant): LeftOutTool {
  return { tool: candidate.label, code: "timeout", message: "it had not answered when the time was over" };
}

function toLeftOut({ candidate, why }: PassedOver): LeftOutTool {
  return { tool: candidate.label, message: briefly(why) };
}
