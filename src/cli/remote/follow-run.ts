import type { WireValue } from "../../api/index.ts";
import type { RequestApproval } from "../../engine/index.ts";
import { isFinished } from "../../store/index.ts";
import { toApproval } from "./from-wire.ts";
import type { RemoteApprovals } from "./remote-reader.ts";
import type { ServerApi } from "./server-api.ts";

/** Options of {@link RunFollower}. */
export interface FollowOptions {
  /** Aborted by Ctrl-C: cancels the run. */
  readonly signal?: AbortSignal | undefined;
  /** Receives each event once, in its JSON form. */
  readonly onEvent?: ((event: Readonly<Record<string, unknown>>) => void) | undefined;
  /** Asks a person here for the decisions that the run waits for. */
  readonly requestApproval?: RequestApproval | undefined;
  /** Aborted when this process ends: the run continues at the server. */
  readonly closing: AbortSignal;
}

/** Interval in which events are read; the end of the run is noticed at once. */
const waitSeconds = 1;

/** Follows a run that a server executes, until it ends or waits for a person. */
export class RunFollower {
  readonly #api: ServerApi;
  readonly #approvals: RemoteApprovals;
  readonly #options: FollowOptions;
  readonly #seen = new Set<string>();
  /** Approvals that a person here did not decide. */
  readonly #left = new Set<string>();

  constructor(api: ServerApi, approvals: RemoteApprovals, options: FollowOptions) {
    this.#api = api;
    this.#approvals = approvals;
    this.#options = options;
  }

  async follow(id: string): Promise<WireValue<"RunDetail">> {
    const { signal, closing } = this.#options;
    const cancel = (): void => void this.#api.attempt("cancel_run", { params: { id } }).catch(() => {});
    if (signal?.aborted === true) cancel();
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      for (;;) {
        const startedAt = performance.now();
        const run = await this.#api.sendPatiently("get_run", { params: { id }, waitSeconds });
        await this.#emitEvents(id);
        // A run that is to be executed is waiting, too; the server answers at once only if it is not.
        const isSuspended = run.status === "waiting" && performance.now() - startedAt < waitSeconds * 900;
        if (isFinished(run.status) || closing.aborted) return run;
        if (isSuspended && !(await this.#decide(run))) return run;
      }
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** Asks for the decisions that a run waits for. False if nobody here made one. */
  async #decide({ approvals }: WireValue<"RunDetail">): Promise<boolean> {
    const { requestApproval, signal = new AbortController().signal } = this.#options;
    if (signal.aborted) return true;
    const [next] = approvals.filter(({ id }) => !this.#left.has(id)).map(toApproval);
    if (requestApproval === undefined || next === undefined) return false;
    const decision = await requestApproval(next, signal);
    if (decision === undefined) this.#left.add(next.id);
    else await this.#approvals.decide(next.id, decision);
    return true;
  }

  async #emitEvents(id: string): Promise<void> {
    const { onEvent } = this.#options;
    if (onEvent === undefined) return;
    const { items } = await this.#api.sendPatiently("get_run_events", { params: { id } });
    for (const event of items) {
      const key = keyOf(event);
      if (this.#seen.has(key)) continue;
      this.#seen.add(key);
      onEvent(event);
    }
  }
}

/** Parts of an event that differ from all other events of its run; times of a replay may differ. */
const identifying = ["type", "step", "item", "attempt", "status", "approval_id", "part", "round", "call_id", "text"];

function keyOf(event: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(identifying.map((name) => event[name] ?? null));
}
