import { fail } from "../base/index.ts";
import type { Resolver } from "../engine/index.ts";
import { fromJsonSchema } from "../schema/index.ts";
import type { StoredRun } from "../store/index.ts";
import { hasErrors } from "../text/index.ts";
import { type AnyTool, defineTool, fingerprintTool } from "../tool/index.ts";
import type { PlanContext } from "./plan/plan-context.ts";
import type { Plan } from "./plan/plan.ts";
import { planFromSnapshot, snapshotOf } from "./plan/snapshot.ts";

/** Of keys, events and outcomes in the journal. A run of another format cannot be told again. */
export const runFormat = 1;

/**
 * The plan of a run that is to go on or to be repeated: of the chain as it was, with the tools as they are. One that
 * goes on was allowed to begin: what the workspace says by now about values from outside is for new runs.
 */
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
  const changed = changedTools(run, plan);
  if (changed.length === 0) return;
  const which = changed.map((name) => `"${name}"`).join(", ");
  throw fail(`the tool ${which} has changed since run ${run.id} began; start again with: windlass rerun ${run.id}`, {
    code: "run_changed",
    reason: "tool_changed",
  });
}

/** The tools of a run that are no longer what they were. */
export function changedTools(run: Pick<StoredRun, "fingerprints">, plan: Plan): string[] {
  const now = snapshotOf(plan).fingerprints;
  return Object.entries(fingerprintsOf(run)).flatMap(([name, before]) => (now[name] === before ? [] : [name]));
}

function fingerprintsOf({ fingerprints }: Pick<StoredRun, "fingerprints">): Readonly<Record<string, string>> {
  // Written when the run began.
  return JSON.parse(fingerprints) as Record<string, string>;
}

/** The plan of a run that is only looked at, or ended: tools that are gone or changed make no difference. */
export function inspectPlan(run: Pick<StoredRun, "definition" | "fingerprints">, context: PlanContext): Plan {
  const { env: _env, secrets: _secrets, ...known } = context;
  return planOf(run.definition, { ...known, taint: "unchecked", tools: lenient(context.tools, fingerprintsOf(run)) });
}

/** A tool that is another by now could make the chain wrong, which was right with the tool that it was. */
function lenient(tools: Resolver, before: Readonly<Record<string, string>>): Resolver {
  return {
    resolve: (name) => {
      const found = tools.resolve(name);
      const isSame = found !== undefined && Object.hasOwn(before, name) && fingerprintTool(found.tool) === before[name];
      return isSame ? found : { tool: stand(name), source: "", owner: "", priority: 0 };
    },
    names: () => tools.names(),
  };
}

/** Stands for a tool that is no longer there, or no longer what it was. It may be cached, as the tool may have been. */
function stand(name: string): AnyTool {
  return defineTool({
    name: /^[A-Za-z_][\w-]{0,63}$/.test(name) ? name : "gone",
    description: "A tool that is no longer there.",
    effect: "read",
    input: fromJsonSchema({ type: "object" }),
    run: () => null,
  });
}
