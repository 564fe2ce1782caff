import { fail, cliCommand } from "../base/index.ts";
import type { Resolver } from "../engine/index.ts";
import { fromJsonSchema } from "../schema/index.ts";
import type { StoredRun } from "../store/index.ts";
import { hasErrors } from "../text/index.ts";
import { type AnyTool, defineTool, fingerprintShape, fingerprintTool } from "../tool/index.ts";
import { formerFingerprints } from "./former-fingerprints.ts";
import type { PlanContext } from "./plan/plan-context.ts";
import type { Plan } from "./plan/plan.ts";
import { planFromSnapshot, snapshotOf } from "./plan/snapshot.ts";

/** Format of keys, events and outcomes in the journal. A run of another format cannot be replayed. */
export const runFormat = 2;

/**
 * The plan of a run that resumes or is repeated: the chain as stored, with the current tools. A run that resumes was
 * allowed to start: the workspace's current `taint` setting applies to new runs.
 */
export function planStoredRun(definition: string, context: PlanContext): Plan {
  const { plan, problems } = planFromSnapshot(definition, context);
  if (plan !== undefined && !hasErrors(problems)) return plan;
  const why = problems.find(({ severity }) => severity === "error")?.message ?? "its chain cannot be read";
  throw fail(`the run cannot resume: ${why}`, { code: "run_changed" });
}

/** Rejects a run that would not continue as it began. */
export function checkUnchanged(run: Pick<StoredRun, "id" | "format" | "fingerprints">, plan: Plan): void {
  if (run.format !== runFormat) {
    throw fail(`run ${run.id} was started by another version of Windlass (format ${run.format})`, {
      code: "run_changed",
    });
  }
  const changed = changedTools(run, plan);
  if (changed.length === 0) return;
  const which = changed.map((name) => `"${name}"`).join(", ");
  throw fail(
    `the tool ${which} has changed since run ${run.id} began; start again with: ${cliCommand(`rerun ${run.id}`)}`,
    {
      code: "run_changed",
      reason: "tool_changed",
    },
  );
}

/** The tools of a run that have changed. */
export function changedTools(run: Pick<StoredRun, "fingerprints">, plan: Plan): string[] {
  const { tools } = snapshotOf(plan);
  return Object.entries(fingerprintsOf(run)).flatMap(([name, before]) => {
    const tool = tools.get(name);
    return tool !== undefined && isSameTool(tool, before) ? [] : [name];
  });
}

/** True if a run that began with this fingerprint can continue with the tool. */
function isSameTool(tool: AnyTool, before: string | undefined): boolean {
  if (before === undefined) return false;
  if (fingerprintTool(tool) === before) return true;
  return Object.hasOwn(formerFingerprints, before) && formerFingerprints[before] === fingerprintShape(tool);
}

function fingerprintsOf({ fingerprints }: Pick<StoredRun, "fingerprints">): Readonly<Record<string, string>> {
  // Written when the run started.
  return JSON.parse(fingerprints) as Record<string, string>;
}

/** The plan of a run that is only inspected, or cancelled: removed and changed tools are ignored. */
export function inspectPlan(run: Pick<StoredRun, "definition" | "fingerprints">, context: PlanContext): Plan {
  const { env: _env, secrets: _secrets, ...known } = context;
  return planStoredRun(run.definition, {
    ...known,
    taint: "unchecked",
    tools: lenient(context.tools, fingerprintsOf(run)),
  });
}

/** A tool that has changed could make a chain invalid that was valid with the old tool. */
function lenient(tools: Resolver, before: Readonly<Record<string, string>>): Resolver {
  return {
    resolve: (name) => {
      const found = tools.resolve(name);
      const isSame = found !== undefined && Object.hasOwn(before, name) && isSameTool(found.tool, before[name]);
      return isSame ? found : { tool: stand(name), source: "", owner: "", priority: 0 };
    },
    names: () => tools.names(),
  };
}

/** Placeholder for a tool that no longer exists, or has changed. It may be cached, as the tool may have been. */
function stand(name: string): AnyTool {
  return defineTool({
    name: /^[A-Za-z_][\w-]{0,63}$/.test(name) ? name : "gone",
    description: "A tool that no longer exists.",
    effect: "read",
    input: fromJsonSchema({ type: "object" }),
    run: () => null,
  });
}
