import type { QueryParams, RequestBody, ResponseBody } from "../api/index.ts";
import { type RequestOptions, type RequestSender, pause } from "./send-request.ts";

/** Options of a request that starts or changes a run. */
export interface RunOptions extends RequestOptions {
  /** Waits up to this time for the end of the run before it returns; at most 55. */
  readonly waitSeconds?: number | undefined;
}

/** Options of a new run of a chain. */
export interface StartOptions extends RunOptions {
  /** The same id with the same input joins the run that has it. */
  readonly runId?: string | undefined;
  /** Values for `${context.NAME}`. */
  readonly context?: object | undefined;
}

/** Options of a repeated run. */
export interface RerunOptions extends RunOptions {
  readonly runId?: string | undefined;
  /** The step to start from. Default: all steps run again. */
  readonly from?: string | undefined;
  /** Replaces the input of the run. */
  readonly input?: object | undefined;
  /** Confirms that steps with the effect `once` run again although they do not depend on `from`. */
  readonly repeatOnce?: boolean | undefined;
}

/** A run: its input, its output or failure, and what it waits for. */
export type RunState = ResponseBody<"get_run">;

const waitSecondsPerRequest = 50;
const pollMs = 250;

/** Runs of all kinds. */
export class RunsClient {
  readonly #sender: RequestSender;

  constructor(sender: RequestSender) {
    this.#sender = sender;
  }

  /** Starts a run of a chain; the server executes it, also if the client disconnects. */
  async start(
    chain: string,
    input: object = {},
    { runId, context, ...options }: StartOptions = {},
  ): Promise<ResponseBody<"start_run">> {
    const body: RequestBody<"start_run"> = {
      input,
      ...(runId !== undefined && { run_id: runId }),
      ...(context !== undefined && { context }),
    };
    return (await this.#sender.send("start_run", { params: { name: chain }, body, ...waiting(options) })).body;
  }

  async list(query: QueryParams<"list_runs"> = {}, options: RequestOptions = {}): Promise<ResponseBody<"list_runs">> {
    return (await this.#sender.send("list_runs", { params: {}, query, ...options })).body;
  }

  async get(id: string, options: RequestOptions = {}): Promise<RunState> {
    return (await this.#sender.send("get_run", { params: { id }, ...options })).body;
  }

  /** Waits until a run has ended or needs a decision, however long that takes. */
  async wait(id: string, options: RequestOptions = {}): Promise<RunState> {
    const prefer = waiting({ ...options, waitSeconds: waitSecondsPerRequest });
    for (;;) {
      const { body: run, headers } = await this.#sender.send("get_run", { params: { id }, ...prefer });
      const isOpen = run.status === "running" || run.status === "waiting";
      if (!isOpen || run.approvals.some(({ status }) => status === "pending")) return run;
      if (!headers.has("preference-applied")) await pause(pollMs, options.signal);
    }
  }

  async log(id: string, options: RequestOptions = {}): Promise<ResponseBody<"get_run_log">> {
    return (await this.#sender.send("get_run_log", { params: { id }, ...options })).body;
  }

  /** Explains a step of a run, or all of them. */
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

  async resume(id: string, options: RunOptions = {}): Promise<ResponseBody<"resume_run">> {
    return (await this.#sender.send("resume_run", { params: { id }, ...waiting(options) })).body;
  }

  async cancel(id: string, options: RunOptions = {}): Promise<ResponseBody<"cancel_run">> {
    return (await this.#sender.send("cancel_run", { params: { id }, ...waiting(options) })).body;
  }

  /** The steps that a rerun from a step would execute, and those whose results it would reuse. */
  async previewRerun(id: string, from: string, options: RequestOptions = {}): Promise<ResponseBody<"preview_rerun">> {
    return (await this.#sender.send("preview_rerun", { params: { id }, query: { from }, ...options })).body;
  }

  /** Runs the current chain again, from a step or with another input; or makes a durable call again. */
  async rerun(
    id: string,
    { runId, from, input, repeatOnce, ...options }: RerunOptions = {},
  ): Promise<ResponseBody<"rerun">> {
    const body: RequestBody<"rerun"> = {
      ...(runId !== undefined && { run_id: runId }),
      ...(from !== undefined && { from }),
      ...(input !== undefined && { input }),
      ...(repeatOnce !== undefined && { repeat_once: repeatOnce }),
    };
    return (await this.#sender.send("rerun", { params: { id }, body, ...waiting(options) })).body;
  }
}

function waiting({ waitSeconds, headers, ...options }: RunOptions): RequestOptions {
  const prefer = waitSeconds !== undefined && waitSeconds > 0 && { prefer: `wait=${Math.ceil(waitSeconds)}` };
  return { ...options, headers: { ...prefer, ...headers } };
}
