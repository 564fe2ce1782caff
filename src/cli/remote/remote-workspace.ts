import { type AgentResult, type ReasoningBlock, agentTable } from "../../agent/index.ts";
import type { RequestBody, ResponseBody, WireValue } from "../../api/index.ts";
import type { inspectAgentRun } from "../../app/index.ts";
import { cliCommand, fail } from "../../base/index.ts";
import type { ExecutionLog, RerunPreview } from "../../chain/index.ts";
import type { RequestApproval } from "../../engine/index.ts";
import type { DurableCallResult } from "../../run/index.ts";
import type { JsonSchema } from "../../schema/index.ts";
import { createRedactor } from "../../secrets/index.ts";
import { isFinished } from "../../store/index.ts";
import { suggest } from "../../text/index.ts";
import type { ChainRunResult, RunWorkspace } from "./run-workspace.ts";
import type { ServerAddress } from "../program/invocation.ts";
import { type FollowOptions, RunFollower, markEarlier, markReused } from "./follow-run.ts";
import { toAgentEvent, toAgentResult, toFailure, toRunEvent } from "./from-wire.ts";
import { RemoteApprovals, RemoteRunReader } from "./remote-reader.ts";
import { toToolResult } from "./send-call.ts";
import { ServerApi } from "./server-api.ts";

/** Options of following a run, as local executions have them. */
interface ExecuteOptions<Event> {
  readonly signal?: AbortSignal | undefined;
  readonly requestApproval?: RequestApproval | undefined;
  readonly onEvent?: ((event: Event) => void) | undefined;
}

type MarkPast = FollowOptions["markPast"];

/** A prompt for an agent of a server. */
export type RemotePrompt = RequestBody<"send_message">;

/** The runs and approvals of a server. The server executes the runs; commands follow them. */
export class RemoteWorkspace implements RunWorkspace {
  readonly api: ServerApi;
  readonly engine: RunWorkspace["engine"] = { redactor: createRedactor([]), subscribe: () => () => {} };
  readonly approvals: RemoteApprovals;
  readonly store: { readonly runs: RemoteRunReader };
  readonly #closing = new AbortController();

  readonly #onDisconnect: () => void;

  /** @param onDisconnect Called when the connection to the server is lost while a run is followed. */
  constructor(address: ServerAddress, onDisconnect: () => void) {
    this.#onDisconnect = onDisconnect;
    this.api = new ServerApi(address);
    this.approvals = new RemoteApprovals(this.api);
    this.store = { runs: new RemoteRunReader(this.api) };
  }

  readonly runs: RunWorkspace["runs"] = {
    list: (query) => this.store.runs.list(query),
    cancel: (id) => this.#cancel(id),
    close: () => this.#close(),
    deliver: async (id, { name, data, id: eventId }) => {
      const body = { data, ...(eventId !== undefined && { event_id: eventId }) };
      const delivered = await this.api.send("send_event", { params: { id, name }, body });
      return { runId: id, name, id: delivered.event_id, isRepeated: delivered.repeated };
    },
    inspect: async (id) => this.#chainResult(await this.#detail(id)),
    resume: async (id, how = {}) => this.#followChain(await this.#resumed(id), how, markEarlier),
    rerun: async (id, { from, ...how } = {}) => {
      if (from === undefined) return this.#followChain(await this.api.send("rerun", { params: { id }, body: {} }), how);
      const { reused } = await this.api.send("preview_rerun", { params: { id }, query: { from } });
      // The steps that run again were confirmed here.
      const run = await this.api.send("rerun", { params: { id }, body: { from, repeat_once: true } });
      return this.#followChain(run, how, markReused(reused));
    },
    previewRerun: async (id, from) => {
      const { repeated_once: _repeated, ...preview } = await this.api.send("preview_rerun", {
        params: { id },
        query: { from },
      });
      // Its fields have the same names in both forms.
      return preview as unknown as RerunPreview;
    },
  };

  readonly calls: RunWorkspace["calls"] = {
    cancel: (id) => this.#cancel(id),
    inspect: (id) => this.#callResult(id),
    resume: async (id, how) => {
      const { onProgress: _onProgress, ...options } = how ?? {};
      await this.#follow(await this.#resumed(id), options, () => {});
      return this.#callResult(id);
    },
  };

  readonly #agents: Awaited<ReturnType<RunWorkspace["agents"]>> = {
    cancel: (id) => this.#cancel(id),
    close: () => this.#close(),
    inspect: async (id) => this.#agentResult(await this.#detail(id)),
    resume: async (id, how) => this.#followAgent(await this.#resumed(id), how ?? {}, markEarlier),
  };

  agents(): ReturnType<RunWorkspace["agents"]> {
    return Promise.resolve(this.#agents);
  }

  /** The input of a chain. A chain that is not valid is refused when it is started. */
  async chain(name: string): Promise<{ readonly name: string; readonly input: { readonly json: JsonSchema } }> {
    const names: string[] = [];
    let cursor: string | null | undefined;
    do {
      const query = { limit: 200, ...(cursor && { cursor }) };
      const page: ResponseBody<"list_chains"> = await this.api.send("list_chains", { params: {}, query });
      const found = page.items.find((chain) => chain.name === name);
      if (found !== undefined) return { name, input: { json: found.input_schema ?? {} } };
      names.push(...page.items.map((chain) => chain.name));
      cursor = page.next_cursor;
    } while (cursor);
    const near = suggest(name, names);
    const hint =
      near === undefined ? `${cliCommand("chains")} lists the names` : `did you mean ${JSON.stringify(near)}?`;
    const message = `there is no chain named ${JSON.stringify(name)}; ${hint}`;
    throw fail(message, { code: "tool_not_found", reason: "unknown_chain" });
  }

  /** Starts a run of a chain, and follows it. */
  async startChain(
    name: string,
    body: RequestBody<"start_run">,
    how: ExecuteOptions<ReturnType<typeof toRunEvent>>,
  ): Promise<ChainRunResult> {
    return this.#followChain(await this.api.send("start_run", { params: { name }, body }), how);
  }

  /** The runner of the settings. */
  async defaultRunner(): Promise<string> {
    const { items } = await this.api.send("list_agents", { params: {} });
    return items.find(({ is_default: isDefault }) => isDefault)?.runner ?? agentTable.runner.default;
  }

  /** Sends a message to an agent, and follows its run. */
  async sendMessage(
    runner: string,
    body: RemotePrompt,
    how: ExecuteOptions<ReturnType<typeof toAgentEvent>>,
  ): Promise<AgentResult> {
    return this.#followAgent(await this.api.send("send_message", { params: { runner }, body }), how);
  }

  /** The prompt, the steps and the answer of an agent's run. */
  async agentDetails(id: string): ReturnType<typeof inspectAgentRun> {
    const log: Readonly<Record<string, unknown>> = await this.api.send("get_run_log", { params: { id } });
    const { prompt, reasoning } = log;
    // Its log has the reasoning block as it is.
    const block = reasoning as ReasoningBlock;
    return { prompt: String(prompt), result: toAgentResult(log), block };
  }

  #detail(id: string): Promise<WireValue<"RunDetail">> {
    return this.api.sendPatiently("get_run", { params: { id } });
  }

  /** Resumes a run whose process has died; all others are executed by the server anyway. */
  async #resumed(id: string): Promise<WireValue<"RunDetail">> {
    const run = await this.#detail(id);
    if (isFinished(run.status) || run.interrupted !== true) return run;
    const { body, problem } = await this.api.attempt("resume_run", { params: { id } });
    if (problem !== undefined && problem.code !== "run_held") throw this.api.errorOf(problem);
    return body ?? run;
  }

  async #cancel(id: string): Promise<boolean> {
    const before = await this.#detail(id);
    if (isFinished(before.status)) return false;
    const { problem } = await this.api.attempt("cancel_run", { params: { id } });
    if (problem !== undefined && problem.code !== "conflict") throw this.api.errorOf(problem);
    return problem === undefined;
  }

  #close(): Promise<void> {
    this.#closing.abort();
    return Promise.resolve();
  }

  /** Follows a run until it ends or waits for a person. A run that had ended before has no more events. */
  #follow<Event>(
    run: WireValue<"RunDetail">,
    { signal, requestApproval, onEvent }: ExecuteOptions<Event>,
    toEvent: (wire: Readonly<Record<string, unknown>>) => Event,
    markPast?: MarkPast,
  ): Promise<WireValue<"RunDetail">> {
    const isOver = run.finished_at !== undefined && Date.parse(run.finished_at) < performance.timeOrigin;
    if (isOver && markPast !== undefined) return Promise.resolve(run);
    const follower = new RunFollower(this.api, this.approvals, {
      signal,
      requestApproval,
      markPast,
      onEvent: onEvent && ((event) => onEvent(toEvent(event))),
      onDisconnect: this.#onDisconnect,
      closing: this.#closing.signal,
    });
    return follower.follow(run.run_id);
  }

  async #followChain(
    run: WireValue<"RunDetail">,
    how: ExecuteOptions<ReturnType<typeof toRunEvent>>,
    markPast?: MarkPast,
  ): Promise<ChainRunResult> {
    return this.#chainResult(await this.#follow(run, how, toRunEvent, markPast));
  }

  async #chainResult({ run_id: runId, status, error }: WireValue<"RunDetail">): Promise<ChainRunResult> {
    const log = await this.api.sendPatiently("get_run_log", { params: { id: runId } });
    // The log of a run of a chain.
    const shown = log as unknown as ExecutionLog;
    return { runId, status, success: status === "success", error: toFailure(error), log: () => shown };
  }

  async #followAgent(
    run: WireValue<"RunDetail">,
    how: ExecuteOptions<ReturnType<typeof toAgentEvent>>,
    markPast?: MarkPast,
  ): Promise<AgentResult> {
    return this.#agentResult(await this.#follow(run, how, toAgentEvent, markPast));
  }

  async #agentResult({ run_id: id }: WireValue<"RunDetail">): Promise<AgentResult> {
    return toAgentResult(await this.api.sendPatiently("get_run_log", { params: { id } }));
  }

  async #callResult(id: string): Promise<DurableCallResult> {
    const log: Readonly<Record<string, unknown>> = await this.api.sendPatiently("get_run_log", { params: { id } });
    const { status, tool, result } = log;
    // The log of a durable call.
    const known = { runId: id, status, tool } as DurableCallResult;
    return result === undefined
      ? known
      : { ...known, result: toToolResult(result as Readonly<Record<string, unknown>>) };
  }
}
