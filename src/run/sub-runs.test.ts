import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { createInMemoryApprovals } from "../store/index.ts";
import { cancelSubRun, noteSuspendedSubRun } from "./sub-runs.ts";

/** A service with these runs. */
function service(approvals = createInMemoryApprovals(), ...runIds: readonly string[]) {
  const cancelled: unknown[] = [];
  const sought: string[] = [];
  const has = async (runId: string): Promise<boolean> => (sought.push(runId), runIds.includes(runId));
  const cancel = async (...request: unknown[]): Promise<void> => void cancelled.push(request);
  return { approvals, has, cancel, cancelled, sought };
}

test("the run of a called agent is cancelled by the service that has it, also if that has another journal", async () => {
  const approvals = createInMemoryApprovals();
  const [caller, first, second] = [service(approvals), service(approvals, "a"), service(approvals, "b")];
  for (const runs of [first, second, second]) noteSuspendedSubRun(runs);
  await cancelSubRun(caller, "b", "ann");
  await cancelSubRun(caller, "unknown", "ann");
  expect([caller, first, second].map(({ cancelled }) => cancelled)).toEqual([[], [], [["b", "ann"]]]);
  expect(second.sought).toEqual(["b", "unknown"]);
});

test("services of called agents are released with their agents, whose callers may never resume here", async () => {
  const approvals = createInMemoryApprovals();
  const note = (): WeakRef<object> => {
    const runs = service(approvals);
    noteSuspendedSubRun(runs);
    return new WeakRef(runs);
  };
  const references = Array.from({ length: 100 }, note);
  await new Promise((resolve) => setImmediate(resolve));
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  // The last one may still be on the stack.
  expect(references.filter((reference) => reference.deref() !== undefined).length).toBeLessThan(5);
});
