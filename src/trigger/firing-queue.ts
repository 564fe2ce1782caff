import { KeyedMutex, isFailureError } from "../base/index.ts";
import type { Trigger } from "../chain/index.ts";
import { type Firing, isFinished } from "../store/index.ts";
import type { TriggerDeps } from "./trigger-deps.ts";

/**
 * Starts the runs of stored firings. Every decision is a change of the stored status that only one process can make, and
 * a run has the same id in all of them: so a process that ends between two steps, or works beside another one, neither
 * loses a firing nor starts it twice.
 */
export class FiringQueue {
  readonly #deps: Pick<TriggerDeps, "store" | "plan" | "runs">;
  readonly #turns = new KeyedMutex();

  constructor(deps: Pick<TriggerDeps, "store" | "plan" | "runs">) {
    this.#deps = deps;
  }

  /** Starts what can be started now. `begins`: it may begin firings that wait. */
  dispatch(trigger: Trigger, begins = true): Promise<void> {
    return this.#turns.run(trigger.id, async () => {
      // Another process may have made a decision in between; then everything is read again.
      while (!(await this.#pass(trigger, begins)));
    });
  }

  /** False if another process has changed the state in between. */
  async #pass(trigger: Trigger, begins: boolean): Promise<boolean> {
    const open = await this.#stillOpen(await this.#deps.store.open(trigger.id));
    for (const firing of open) if (firing.status === "starting") await this.#start(trigger, firing);
    if (!begins) return true;
    const running = open.filter(({ status }) => status !== "waiting");
    for (const firing of open.filter(({ status }) => status === "waiting")) {
      const isFree = running.length === 0 || trigger.overlap === "parallel";
      if (!isFree && trigger.overlap === "queue") return true;
      if (!isFree && trigger.overlap === "skip") await this.#skip(firing, running[0]);
      else if (!(await this.#begin(trigger, firing, running))) return false;
    }
    return true;
  }

  async #skip({ triggerId, key }: Firing, running: Firing | undefined): Promise<void> {
    const reason = `run ${running?.runId ?? ""} had not ended`;
    await this.#deps.store.settle(triggerId, key, { from: "waiting", to: "skipped", reason });
  }

  /** Begins a firing, and notes it as running. False if another process did something else. */
  async #begin(trigger: Trigger, firing: Firing, running: Firing[]): Promise<boolean> {
    const { overlap } = trigger;
    if (overlap === "cancel-running") await this.#cancel(running.splice(0));
    const when = overlap === "queue" || overlap === "skip" ? "alone" : "always";
    if (!(await this.#deps.store.begin(firing.triggerId, firing.key, when))) return false;
    running.push(firing);
    await this.#start(trigger, firing);
    return true;
  }

  /** Without the firings whose runs have ended. */
  async #stillOpen(open: readonly Firing[]): Promise<readonly Firing[]> {
    const { store, runs } = this.#deps;
    const started = open.filter(({ status }) => status === "started");
    if (started.length === 0) return open;
    const statuses = await runs.statuses(started.map(({ runId }) => runId));
    const ended = new Set<Firing>();
    for (const firing of started) {
      const status = statuses.get(firing.runId);
      // A run that was removed has ended.
      if (status !== undefined && !isFinished(status)) continue;
      await store.settle(firing.triggerId, firing.key, { from: "started", to: "ended" });
      ended.add(firing);
    }
    return open.filter((firing) => !ended.has(firing));
  }

  async #cancel(running: readonly Firing[]): Promise<void> {
    for (const { runId, triggerId } of running) {
      // A run that has ended or was removed needs no cancellation.
      await this.#deps.runs.cancel(runId, `trigger ${triggerId}`).catch((error: unknown) => {
        if (!isFailureError(error) || error.code !== "run_not_found") throw error;
      });
    }
  }

  async #start(trigger: Trigger, firing: Firing): Promise<void> {
    const { store, plan, runs } = this.#deps;
    const { key, runId, tainted, triggerId, input = "{}", principal } = firing;
    const settle = (to: "started" | "failed", reason?: string): Promise<boolean> =>
      store.settle(triggerId, key, { from: "starting", to, ...(reason !== undefined && { reason }) });
    try {
      await runs.submit(await plan(trigger.chain), {
        runId,
        callerType: "trigger",
        input: JSON.parse(input),
        tainted,
        ...(principal !== undefined && { principal }),
      });
    } catch (error) {
      if (!isFailureError(error) || isOfStore(error.code)) throw error;
      // Started before with an earlier version of the input or the settings.
      if (error.code !== "run_exists") return void (await settle("failed", error.message));
    }
    await settle("started");
  }
}

/** The start is repeated later. */
function isOfStore(code: string): boolean {
  return code.startsWith("store_") || code === "engine_closed";
}
