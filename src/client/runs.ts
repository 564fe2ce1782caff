import {
  type QueryParams,
  type RequestBody,
  type ResponseBody,
  type StreamEvent,
  type WireValue,
  runTopic,
} from "../api/index.ts";
import { type EventsOptions, readEvents } from "./event-stream.ts";
import type { RequestOptions, RequestSender } from "./send-request.ts";

/** Options of a new run. */
export interface StartOptions extends RequestOptions {
  /** The same id with the same input joins the run that has it. */
  readonly runId?: string | undefined;
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  /** Wait up to this time for the end of the run, at most 55 s. Default: return at once. */
  readonly waitMs?: number | undefined;
}

/** Options of a rerun. */
export interface RerunOptions extends RequestOptions {
  /** The step to start from. Default: all steps run again. */
  readonly from?: string | undefined;
  readonly input?: Readonly<Record<string, unknown>> | undefined;
  readonly runId?: string | undefined;
  /** Run steps with the effect `once` again, although they do not depend on `from`. */
  readonly repeatOnce?: boolean | undefined;
}

/** Options of an event for a run. */
export interface SendEventOptions extends RequestOptions {
  /** An event with the same name and id is delivered to a run once. */
  readonly eventId?: string | undefined;
}

type Run = WireValue<"RunDetail">;

/**
 * Runs of all kinds.
 *
 * @see docs/guide/events.md
 */
export class ClientRuns {
  readonly #sender: RequestSender;

  constructor(sender: RequestSender) {
    this.#sender = sender;
  }

  /** Starts a run of a chain. */
  async start(chain: string, input?: Readonly<Record<string, unknown>>, options: StartOptions = {}): Promise<Run> {
    const { runId, context, waitMs, headers, ...request } = options;
    const body: RequestBody<"start_run"> = {
      ...(input !== undefined && { input }),
      ...(runId !== undefined && { run_id: runId }),
      ...(context !== undefined && { context }),
    };
    const prefer = waitMs !== undefined && { prefer: `wait=${Math.ceil(waitMs / 1000)}` };
    const values = { params: { name: chain }, body, ...request, headers: { ...prefer, ...headers } };
    return (await this.#sender.send("start_run", values)).body;
  }

  async get(id: string, options: RequestOptions = {}): Promise<Run> {
    return (await this.#sender.send("get_run", { params: { id }, ...options })).body;
  }

  /** The runs, the newest first. */
  async list(query: QueryParams<"list_runs"> = {}, options: RequestOptions = {}): Promise<ResponseBody<"list_runs">> {
    return (await this.#sender.send("list_runs", { params: {}, query, ...options })).body;
  }

  async log(id: string, options: RequestOptions = {}): Promise<ResponseBody<"get_run_log">> {
    return (await this.#sender.send("get_run_log", { params: { id }, ...options })).body;
  }

  async explain(
    id: string,
    query: QueryParams<"explain_run"> = {},
    options: RequestOptions = {},
  ): Promise<ResponseBody<"explain_run">> {
    return (await this.#sender.send("explain_run", { params: { id }, query, ...options })).body;
  }

  /** Compares a run of a chain with another one. Default: the run of the same chain before it. */
  async diff(
    id: string,
    query: QueryParams<"diff_runs"> = {},
    options: RequestOptions = {},
  ): Promise<ResponseBody<"diff_runs">> {
    return (await this.#sender.send("diff_runs", { params: { id }, query, ...options })).body;
  }

  /** All events of a run, from its first one until it has ended; over lost connections and restarts of the server. */
  follow(
    id: string,
    options: Omit<EventsOptions, "topics" | "until"> = {},
  ): AsyncGenerator<StreamEvent, void, undefined> {
    return readEvents(this.#sender, { ...options, topics: [runTopic(id)], until: "end" });
  }

  /** Waits until a run has ended, or waits for a decision, and returns it. */
  async result(id: string, options: Pick<EventsOptions, "signal"> = {}): Promise<Run> {
    for await (const { type, data } of this.follow(id, options)) {
      if (type !== "run" || (data.status === "waiting" ? data.suspended !== true : data.status === "running")) continue;
      const run = await this.get(id, options);
      if (run.status !== "running" && (run.status !== "waiting" || run.approvals.length > 0)) return run;
    }
    return this.get(id, options);
  }

  /** Cancels a run. */
  async cancel(id: string, options: RequestOptions = {}): Promise<Run> {
    return (await this.#sender.send("cancel_run", { params: { id }, ...options })).body;
  }

  /** Resumes a run that waits, or whose processes have died. */
  async resume(id: string, options: RequestOptions = {}): Promise<Run> {
    return (await this.#sender.send("resume_run", { params: { id }, ...options })).body;
  }

  /** Previews a rerun from a step: the steps that run again, and those whose results are reused. */
  async previewRerun(id: string, from: string, options: RequestOptions = {}): Promise<ResponseBody<"preview_rerun">> {
    return (await this.#sender.send("preview_rerun", { params: { id }, query: { from }, ...options })).body;
  }

  /** Runs the current chain again; with `from`, results of steps that do not depend on that step are reused. */
  async rerun(id: string, { from, input, runId, repeatOnce, ...request }: RerunOptions = {}): Promise<Run> {
    const body: RequestBody<"rerun"> = {
      ...(from !== undefined && { from }),
      ...(input !== undefined && { input }),
      ...(runId !== undefined && { run_id: runId }),
      ...(repeatOnce !== undefined && { repeat_once: repeatOnce }),
    };
    return (await this.#sender.send("rerun", { params: { id }, body, ...request })).body;
  }

  /** Delivers an event to a run. With an `eventId`, it is safe to send again: the run receives the event once. */
  async sendEvent(
    id: string,
    name: string,
    data: unknown = null,
    { eventId, ...options }: SendEventOptions = {},
  ): Promise<ResponseBody<"send_event">> {
    const body: RequestBody<"send_event"> = { data, ...(eventId !== undefined && { event_id: eventId }) };
    return (await this.#sender.send("send_event", { params: { id, name }, body, ...options })).body;
  }
}
