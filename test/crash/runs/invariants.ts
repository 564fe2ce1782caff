import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Plan } from "../../../src/chain/index.ts";
import type { EffectLine } from "./effect-tools.ts";

/** All effects on the world, in order. */
export function readEffects(file: string): EffectLine[] {
  const text = readFileSync(file, "utf8");
  // A line that was truncated by a kill does not count as an effect yet: the tool writes it before it does anything.
  return text
    .split("\n")
    .filter((line) => line.endsWith("}"))
    .map((line) => JSON.parse(line) as EffectLine);
}

/** Once effects of a run that were done more than once. Returns a sentence for each. */
export function doubledEffects(runId: string, effects: readonly EffectLine[]): string[] {
  const seen = new Set<string>();
  return effects.flatMap(({ what, effect, key }) => {
    if (what !== "begin" || effect !== "once" || (key !== runId && !key.startsWith(`${runId}/`))) return [];
    if (seen.has(key)) return [`${key} must run once, and ran again`];
    seen.add(key);
    return [];
  });
}

/** Rules that a chain must never break, even if its process is killed. Returns a sentence for each broken rule. */
export function brokenRules(runId: string, plan: Plan, effects: readonly EffectLine[]): string[] {
  const mine = effects.filter(({ key }) => key.startsWith(`${runId}/`));
  const steps = mine.map((line) => ({ ...line, step: /^[\w-]+/.exec(line.key.slice(runId.length + 1))?.[0] ?? "" }));
  // A compensation does not count as a second run of the step.
  const forward = steps.filter(({ key }) => !key.includes("^"));
  return [...doubledEffects(runId, effects), ...needsFirst(forward, plan), ...noReturn(forward, plan)];
}

type Line = EffectLine & { readonly step: string };

function needsFirst(lines: readonly Line[], plan: Plan): string[] {
  const ended = new Set<string>();
  const broken: string[] = [];
  for (const { what, step, key } of lines) {
    if (what === "end") ended.add(step);
    else {
      for (const need of plan.byId.get(step)?.needs ?? []) {
        const id = plan.steps[need]?.id ?? "";
        if (!ended.has(id)) broken.push(`${key} began before ${id} had ended`);
      }
    }
  }
  return broken;
}

/** Once a step that writes has started, none of its dependencies runs again. */
function noReturn(lines: readonly Line[], plan: Plan): string[] {
  const fixed = new Map<string, string>();
  const broken: string[] = [];
  for (const { what, step, key, effect } of lines) {
    if (what !== "begin") continue;
    const by = fixed.get(step);
    if (by !== undefined) broken.push(`${key} ran again after ${by}, which depends on it, had begun`);
    if (effect === "once" || effect === "idempotent") for (const need of ancestors(plan, step)) fixed.set(need, key);
  }
  return broken;
}

function ancestors(plan: Plan, id: string): Set<string> {
  const found = new Set<string>();
  const open = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const need of plan.byId.get(next)?.needs ?? []) {
      const name = plan.steps[need]?.id ?? "";
      if (!found.has(name)) open.push(name);
      found.add(name);
    }
  }
  return found;
}

/** Runs whose events are not numbered 1, 2, 3, … */
export function gaps(file: string): string[] {
  const db = new DatabaseSync(file, { readOnly: true });
  const rows = db
    .prepare(
      "SELECT r.id AS id, count(e.seq) AS n, max(e.seq) AS last FROM runs r LEFT JOIN run_events e ON e.run = r.number GROUP BY r.id",
    )
    .all();
  db.close();
  return rows
    .filter(({ n, last }) => n !== (last ?? 0))
    .map(({ id, n, last }) => `${String(id)}: ${String(n)} events up to ${String(last)}`);
}

/** Number of events of all runs together. */
export function eventsIn(folder: string): number {
  const db = new DatabaseSync(join(folder, "journal.db"), { readOnly: true });
  const row = db.prepare("SELECT count(*) AS n FROM run_events").get();
  db.close();
  return Number(row?.["n"]);
}
