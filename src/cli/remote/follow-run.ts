import type { StreamEvent, WireValue } from "../../api/index.ts";
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
  readonly onEvent?: ((event: WireEvent) => void) | undefined;
  /** Marks the events, of those that happened before, that the terminal only counts. Default: none. */
  readonly markPast?: ((events: readonly WireEvent[]) => readonly WireEvent[]) | undefined;
  /** Requests the decisions that the run waits for from a person here. */
  readonly requestApproval?: RequestApproval | undefined;
  /** Called when the connection is lost; the client reconnects. */
  readonly onDisconnect: () => void;
  /** Aborted when this process ends: the run continues on the server. */
  readonly closing: AbortSignal;
}

type WireEvent = Readonly<Record<string, unknown>>;
type Run = WireValue<"RunDetail">;

/** Follows a run that a server executes, until it ends or waits for a person. */
export class RunFollower {
  readonly #api: ServerApi;
  readonly #approvals: RemoteApprovals;
  readonly #options: FollowOptions;
  readonly #seen = new Set<string>();
  /** The events before this process followed the run were emitted. */
  #hasPast = false;
  /** Approvals that were shown to a person here. */
  readonly #shown = new Set<string>();

  constructor(api: ServerApi, approvals: RemoteApprovals, options: FollowOptions) {
    this.#api = api;
    this.#approvals = approvals;
    this.#options = options;
  }

  async follow(id: string): Promise<Run> {
    const { signal, closing } = this.#options;
    const cancel = (): void => void this.#api.attempt("cancel_run", { params: { id } }).catch(() => {});
    if (signal?.aborted === true) cancel();
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      return await this.#untilEnd(id);
    } catch (error) {
      if (!closing.aborted) throw error;
      return await this.#read(id);
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  async #untilEnd(id: string): Promise<Run> {
    const { closing, onDisconnect } = this.#options;
    for await (const event of this.#api.follow(id, { signal: closing, onDisconnect })) {
      const end = await this.#on(event, id);
      if (end !== undefined) return end;
    }
    return this.#read(id);
  }

  /** Returns the run if it has ended, or waits for a decision that is not made here. */
  async #on({ type, data }: StreamEvent, id: string): Promise<Run | undefined> {
    if (type === "ready" || type === "reset" || !this.#hasPast) await this.#emitPast(id);
    if (type === "activity" && data.run_id === id) this.#emit(data.event);
    const isOver = type === "run" && data.run_id === id && (isFinished(data.status) || data.suspended === true);
    return isOver ? this.#ended(id) : undefined;
  }

  /** The same for a run that has ended or was suspended, unless it continues. */
  async #ended(id: string): Promise<Run | undefined> {
    const run = await this.#read(id);
    if (run.status === "running") return undefined;
    await this.#emitPast(id);
    return isFinished(run.status) || !(await this.#decide(run)) ? run : undefined;
  }

  #read(id: string): Promise<Run> {
    return this.#api.sendPatiently("get_run", { params: { id } });
  }

  /** Requests the decisions that a run waits for. False if none was made here. */
  async #decide({ approvals }: Run): Promise<boolean> {
    const { requestApproval, signal = new AbortController().signal } = this.#options;
    if (requestApproval === undefined) return signal.aborted;
    let isDecided = signal.aborted;
    for (const approval of approvals.map(toApproval)) {
      if (this.#shown.has(approval.id) || signal.aborted) continue;
      this.#shown.add(approval.id);
      const decision = await requestApproval(approval, signal);
      if (decision !== undefined) await this.#approvals.decide(approval.id, decision);
      isDecided ||= decision !== undefined || signal.aborted;
    }
    return isDecided;
  }

  /** Events that happened before, or in another process. */
  async #emitPast(id: string): Promise<void> {
    if (this.#options.onEvent === undefined) return;
    const { items } = await this.#api.sendPatiently("get_run_events", { params: { id } });
    const { markPast = unmarked } = this.#options;
    for (const event of this.#hasPast ? items : markPast(items)) this.#emit({ ...event, run_id: id });
    this.#hasPast = true;
  }

  #emit(event: WireEvent): void {
    const key = keyOf(event);
    if (key !== undefined && this.#seen.has(key)) return;
    if (key !== undefined) this.#seen.add(key);
    this.#options.onEvent?.(event);
  }
}

function unmarked(events: readonly WireEvent[]): readonly WireEvent[] {
  return events;
}

/** Marks what happened before this process started. */
export function markEarlier(events: readonly WireEvent[]): readonly WireEvent[] {
  return events.map((event) =>
    Date.parse(String(event["at"])) < performance.timeOrigin ? { ...event, replayed: true } : event,
  );
}

/** Marks what happened in the steps whose results another run reuses. */
export function markReused(reused: readonly string[]): (events: readonly WireEvent[]) => readonly WireEvent[] {
  const steps = new Set<unknown>(reused);
  return (events) => events.map((event) => (steps.has(event["step"]) ? { ...event, replayed: true } : event));
}

/** Events that may happen repeatedly, and are never replayed. */
const ephemeral: ReadonlySet<unknown> = new Set([
  "text_delta",
  "thinking_delta",
  "step_progress",
  "tool_progress",
  "call_progress",
]);

/** The parts of an event that differ from those of all others of its run; the times of a replay may differ. */
const identifying = ["type", "step", "item", "attempt", "status", "approval_id", "part", "round", "call_id", "code"];

function keyOf(event: WireEvent): string | undefined {
  return ephemeral.has(event["type"]) ? undefined : JSON.stringify(identifying.map((name) => event[name] ?? null));
}
