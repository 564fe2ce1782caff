import { fail } from "../base/index.ts";
import type { Resolver } from "../engine/index.ts";
import { fromJsonSchema } from "../schema/index.ts";
import type { StoredRun } from "../store/index.ts";
import { hasErrors } from "../text/index.ts";
import { type AnyTool, defineTool } from "../tool/index.ts";
import type { PlanContext } from "./plan/plan-context.ts";
import type { Plan } from "./plan/plan.ts";
import { planFromSnapshot, snapshotOf } from "./plan/snapshot.ts";

/** Of keys, events and outcomes in the journal. A run of another format cannot be told again. */
export const runFormat = 1;

/** The plan of a run that is to go on or to be repeated: of the chain as it was, with the tools as they are. */
export function planOf(definition: string, context: PlanContext): Plan {
  const { plan, problems } = planFromSnapshot(definition, context);
  if (plan !== undefined && !hasErrors(problems)) return plan;
  const why = problems.find(({ severity }) => severity === "error")?.message ?? "its chain cannot be read";
  throw fail(`the run cannot go on: ${why}`, { code: "run_changed" });
}

/** Refuses a run that would not go on as it began. */
export function checkUnchanged(run: Pick<StoredRun, "id" | "format" | "fingerprints">, plan: Plan): void {
  if (run.format !== runFormat) {
    throw fail(`run ${run.id} was begun by another version of Windlass (format ${run.format})`, {
      code: "run_changed",
    });
  }
  const before = JSON.parse(run.fingerprints) as Record<string, string>;
  const now = snapshotOf(plan).fingerprints;
  const changed = Object.keys(before).filter((name) => now[name] !== before[name]);
  if (changed.length === 0) return;
  const which = changed.map((name) => `"${name}"`).join(", ");
  throw fail(`the tool ${which} has changed since run ${run.id} began; start again with: windlass rerun ${run.id}`, {
    code: "run_changed",
    reason: "tool_changed",
  });
}

/** The plan of a run that is only looked at: tools that are gone make no difference. */
export function inspectPlan(definition: string, context: PlanContext): Plan {
  const { env: _env, secrets: _secrets, ...known } = context;
  return planOf(definition, { ...known, tools: lenient(context.tools) });
}

function lenient(tools: Resolver): Resolver {
  return {
    resolve: (name) => tools.resolve(name) ?? { tool: stand(name), source: "", owner: "", priority: 0 },
    names: () => tools.names(),
  };
}

/** Stands for a tool that is no longer there. */
function stand(name: string): AnyTool {
  return defineTool({
    name: /^[A-Za-z_][\w-]{0,63}$/.test(name) ? name : "gone",
    description: "A tool that is no longer there.",
    input: fromJsonSchema({ type: "object" }),
    run: () => null,
  });
}
