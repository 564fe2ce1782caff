import { describe, expect, test } from "vitest";
import type { Plan, PlanStep } from "../../src/chain/plan/plan.ts";
import { createEngine } from "../../src/engine/index.ts";
import { mockTools } from "../../src/testing/chain/mock-tools.ts";
import { planWith } from "../support/record-run.ts";
import type { Executed, LabMachine, RunLab } from "./run-lab.ts";
import { type ChainScenario, type RunScenario, type ScenarioName, scenarios } from "./run-scenarios.ts";

/** More suspensions than any scenario has. */
const maxSuspensions = 8;

/**
 * Conformance suite of everything that runs are executed with: host, journal, approvals, dispatcher. A lab opens a run
 * service over these ports, kills its processes, and reports outcomes and effects.
 */
export function runConformance(lab: RunLab, timeoutMs?: number): void {
  describe(`[N12] runs ${lab.name}`, () => {
    test.each(Object.keys(scenarios) as ScenarioName[])(
      "%s: killed before any commit, it ends as if nothing had happened",
      { timeout: timeoutMs ?? 20_000 },
      async (name) => {
        const machine = await lab.open(name);
        try {
          expect(await killsOf(machine, scenarios[name])).toBeGreaterThan(1);
        } finally {
          await machine.close();
        }
      },
    );
  });
}

/** Kills a run before each commit, and checks its end. Returns the number of kills. */
async function killsOf(machine: LabMachine, scenario: RunScenario): Promise<number> {
  const whole = await finish(machine, "whole");
  expect(whole.status).toBe("success");
  expect(whole.commits).toBeGreaterThan(2);
  expect(whole.seqs).toEqual(whole.seqs.map((_, index) => index + 1));
  const effects = new Set(machine.noted("whole"));
  let killed = 0;
  for (let commit = 1; commit <= whole.commits; commit++) {
    const run = `killed-${commit}`;
    if (await isKilledBefore(machine, run, commit)) killed++;
    // Some runs are killed again.
    if (commit % 4 === 0) await isKilledBefore(machine, run, 1 + (commit % 5));
    const { status, output, seqs } = await finish(machine, run);
    expect([run, status, output]).toEqual([run, whole.status, whole.output]);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    const noted = machine.noted(run);
    expect([run, new Set(noted)]).toEqual([run, effects]);
    checkOrder(scenario, noted, run);
  }
  // With real time, the number of commits may differ from run to run.
  expect(killed).toBeGreaterThanOrEqual(whole.commits - 2);
  return killed;
}

/** Executes a run until it has ended; `commits` counts those of all its processes. */
async function finish(machine: LabMachine, runId: string): Promise<Executed> {
  let commits = 0;
  for (let time = 0; time < maxSuspensions; time++) {
    const executed = await machine.execute(runId);
    if (executed === undefined) throw new Error(`the process of ${runId} ended by itself`);
    commits += executed.commits;
    if (executed.status !== "waiting") return { ...executed, commits };
  }
  throw new Error(`${runId} does not end`);
}

/** Executes a run until its process is killed before this commit. False if the run has ended before. */
async function isKilledBefore(machine: LabMachine, runId: string, commit: number): Promise<boolean> {
  let left = commit;
  for (let time = 0; time < maxSuspensions && left > 0; time++) {
    const executed = await machine.execute(runId, left);
    if (executed?.status !== "waiting") return executed === undefined;
    left -= executed.commits;
  }
  return false;
}

/** Checks that no once tool ran twice and, for a chain, that its steps ran in order. */
export function checkOrder(scenario: RunScenario, noted: readonly string[], what: string): void {
  const seen = `${what}: ${noted.join(", ")}`;
  const once = noted.filter((line) => line.startsWith("once "));
  expect(new Set(once).size, `a once tool ran twice; ${seen}`).toBe(once.length);
  if (scenario.kind !== "chain") return;
  const plan = planOf(scenario);
  const begun = new Set<string>();
  for (const line of noted) {
    const [effect = "", name = ""] = line.split(" ");
    const step = plan.byId.get(name);
    const early = step?.needs.find((need) => isMissed(plan.steps[need], begun));
    expect(early, `${name} ran before its needs; ${seen}`).toBeUndefined();
    // A read may be repeated as long as nothing was written because of it.
    const late = step?.dependents.find((index) => {
      const dependent = plan.steps[index];
      return begun.has(dependent?.id ?? "") && !(effect === "read" && dependent?.target.name === "read");
    });
    expect(late, `${name} ran again after a dependent had begun; ${seen}`).toBeUndefined();
    begun.add(name);
  }
}

/** A step that should have run. Chains and waits note nothing themselves. */
function isMissed(need: PlanStep | undefined, begun: ReadonlySet<string>): boolean {
  return need?.target.tool !== undefined && need.wait === undefined && !begun.has(need.id);
}

const plans = new WeakMap<ChainScenario, Plan>();

function planOf(scenario: ChainScenario): Plan {
  const known = plans.get(scenario);
  if (known !== undefined) return known;
  const { spec, others = [] } = scenario;
  const names = [spec, ...others].flatMap((chain) => [...mockTools(chain)].map(({ name }) => name));
  const tools = mockTools(names.filter((name) => !others.some((other) => other.name === name)));
  const plan = planWith(spec, createEngine({ tools }), others);
  plans.set(scenario, plan);
  return plan;
}
