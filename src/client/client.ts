import type { QueryParams, RequestBody, ResponseBody, RouteName, StreamEvent, WireValue } from "../api/index.ts";
import { ClientAgents, ClientConversations } from "./agents.ts";
import { isApiError } from "./api-error.ts";
import { ClientChains } from "./chains.ts";
import { type EventsOptions, readEvents } from "./event-stream.ts";
import { ClientRuns } from "./runs.ts";
import {
  type ClientOptions,
  type Received,
  type RequestOptions,
  RequestSender,
  type RequestValues,
  pause,
  runningWorkOf,
} from "./send-request.ts";

/** Items of a list, page by page. */
type ItemOf<Name extends RouteName> =
  ResponseBody<Name> extends { readonly items: readonly (infer Item)[] } ? Item : never;

/**
 * A client of a Windlass server, for browsers and Node. It is typed by the route table of the server, and needs only
 * `fetch`.
 *
 * @example
 * ```ts
 * const client = createClient({ url: "http://127.0.0.1:4780", token });
 * const { output } = await client.tools.call("calculator", { expression: "2*(3+4)" });
 * ```
 *
 * @see docs/guide/client.md
 */
export class WindlassClient {
  readonly #sender: RequestSender;

  /** Runs of all kinds: start, read, follow, cancel, resume, repeat; and events for them. */
  readonly runs: ClientRuns;
  /** Chains and their texts: list, read, save, check. */
  readonly chains: ClientChains;

  /** Agents: send messages. */
  readonly agents: ClientAgents;

  /** Conversations with agents: list, read, remove. */
  readonly conversations: ClientConversations;

  constructor(options: ClientOptions) {
    this.#sender = new RequestSender(options);
    this.runs = new ClientRuns(this.#sender);
    this.agents = new ClientAgents(this.#sender, this.runs);
    this.conversations = new ClientConversations(this.#sender);
    this.chains = new ClientChains(this.#sender);
  }

  /**
   * Live events of these topics. The client reconnects if the connection is lost, and continues after the last event: no event with an id
   * is lost or repeated. After a `reset`, read the present state: events before it are not available any more.
   *
   * @example
   * ```ts
   * for await (const event of client.events({ topics: ["approvals"] })) console.log(event.type);
   * ```
   */
  events(options: EventsOptions): AsyncGenerator<StreamEvent, void, undefined> {
    return readEvents(this.#sender, options);
  }

  /** Sends a request to any route of the table, and returns the status, the headers and the body of its response. */
  request<Name extends RouteName>(name: Name, values: RequestValues<Name>): Promise<Received<ResponseBody<Name>>> {
    return this.#sender.send(name, values);
  }

  async #body<Name extends RouteName>(name: Name, values: RequestValues<Name>): Promise<ResponseBody<Name>> {
    return (await this.#sender.send(name, values)).body;
  }

  /** Tools: list, describe, call. */
  readonly tools = {
    list: (query: QueryParams<"list_tools"> = {}, options: RequestOptions = {}): Promise<ResponseBody<"list_tools">> =>
      this.#body("list_tools", { params: {}, query, ...options }),
    get: (name: string, options: RequestOptions = {}): Promise<ResponseBody<"get_tool">> =>
      this.#body("get_tool", { params: { name }, ...options }),
    call: (
      name: string,
      args: object = {},
      { conversationId, timeoutMs, ...options }: CallOptions = {},
    ): Promise<ResponseBody<"call_tool">> => {
      return this.#call({ params: { name }, body: callBody(args, { conversationId, timeoutMs }), ...options });
    },
  };

  /** Durable calls of tools: they survive the server and the connection. */
  readonly calls = {
    /** Starts a call and returns its state at once. */
    submit: async (
      name: string,
      args: object = {},
      { conversationId, timeoutMs, headers, ...options }: CallOptions = {},
    ): Promise<WireValue<"Call">> => {
      const received = await this.#sender.send("call_tool", {
        params: { name },
        body: callBody(args, { conversationId, timeoutMs }),
        headers: { ...headers, prefer: "respond-async" },
        ...options,
      });
      // The body of the status 202, as the route declares.
      if (received.status === 202) return received.body as unknown as WireValue<"Call">;
      // An earlier request with its key has waited for the result.
      const [, id = ""] = /\/([^/]+)$/.exec(received.headers.get("location") ?? "") ?? [];
      return this.calls.get(decodeURIComponent(id), options);
    },
    get: (id: string, options: RequestOptions = {}): Promise<WireValue<"Call">> =>
      this.#body("get_call", { params: { id }, ...options }),
    cancel: (id: string, options: RequestOptions = {}): Promise<WireValue<"Call">> =>
      this.#body("cancel_call", { params: { id }, ...options }),
    /** Waits until a call has ended, or waits for a person. */
    result: async (id: string, options: RequestOptions = {}): Promise<WireValue<"Call">> => {
      const headers = { ...options.headers, prefer: "wait=50" };
      for (;;) {
        const call = await this.#body("get_call", { params: { id }, ...options, headers });
        if (call.status !== "running") return call;
        // A server that stops does not wait.
        await pause(pollMs, options.signal);
      }
    },
  };

  /** A repeated call that is still running is followed to its end; then the same request gets its response. */
  async #call(values: RequestValues<"call_tool">): Promise<ResponseBody<"call_tool">> {
    const idempotencyKey = this.#sender.keyFor("call_tool", values);
    for (;;) {
      try {
        return await this.#body("call_tool", { ...values, idempotencyKey });
      } catch (error) {
        const id = runningWorkOf(error);
        if (id === undefined) throw error;
        await this.#followed(id, values.signal);
      }
    }
  }

  async #followed(id: string, signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.calls.result(id, { signal });
    } catch (error) {
      // The first request has not started it yet.
      if (!isApiError(error) || error.code !== "run_not_found") throw error;
      await pause(pollMs, signal);
    }
  }

  /** Approvals: list and decide. */
  readonly approvals = {
    list: (
      query: QueryParams<"list_approvals"> = {},
      options: RequestOptions = {},
    ): Promise<ResponseBody<"list_approvals">> => this.#body("list_approvals", { params: {}, query, ...options }),
    approve: (id: string, note?: string, options: RequestOptions = {}): Promise<ResponseBody<"decide_approval">> =>
      this.#decide(id, { decision: "approve", ...(note !== undefined && { note }) }, options),
    reject: (id: string, note?: string, options: RequestOptions = {}): Promise<ResponseBody<"decide_approval">> =>
      this.#decide(id, { decision: "reject", ...(note !== undefined && { note }) }, options),
  };

  /** Triggers: list, fire, pause, resume, approve. */
  readonly triggers = {
    list: (
      query: QueryParams<"list_triggers"> = {},
      options: RequestOptions = {},
    ): Promise<ResponseBody<"list_triggers">> => this.#body("list_triggers", { params: {}, query, ...options }),
    fire: (id: string, event?: object, options: RequestOptions = {}): Promise<ResponseBody<"fire_trigger">> => {
      const body: RequestBody<"fire_trigger"> = { ...(event !== undefined && { event }) };
      return this.#body("fire_trigger", { params: { id }, body, ...options });
    },
    pause: (id: string, options: RequestOptions = {}): Promise<ResponseBody<"pause_trigger">> =>
      this.#body("pause_trigger", { params: { id }, ...options }),
    resume: (id: string, options: RequestOptions = {}): Promise<ResponseBody<"resume_trigger">> =>
      this.#body("resume_trigger", { params: { id }, ...options }),
    approve: (id: string, options: RequestOptions = {}): Promise<ResponseBody<"approve_trigger">> =>
      this.#body("approve_trigger", { params: { id }, ...options }),
  };

  /** Records of calls, and figures about them. */
  readonly records = {
    list: (
      query: QueryParams<"list_records"> = {},
      options: RequestOptions = {},
    ): Promise<ResponseBody<"list_records">> => this.#body("list_records", { params: {}, query, ...options }),
    get: (id: string, options: RequestOptions = {}): Promise<ResponseBody<"get_record">> =>
      this.#body("get_record", { params: { id }, ...options }),
    stats: (options: RequestOptions = {}): Promise<ResponseBody<"get_stats">> =>
      this.#body("get_stats", { params: {}, ...options }),
  };

  #decide(
    id: string,
    body: RequestBody<"decide_approval">,
    options: RequestOptions,
  ): Promise<ResponseBody<"decide_approval">> {
    return this.#body("decide_approval", { params: { id }, body, ...options });
  }

  /** All items of a list, page by page. */
  async *each<Name extends ListName>(
    name: Name,
    query: QueryParams<Name> = {} as QueryParams<Name>,
    options: RequestOptions = {},
  ): AsyncGenerator<ItemOf<Name>, void, undefined> {
    let cursor: string | null | undefined;
    do {
      const values = { params: {}, query: { ...query, ...(cursor && { cursor }) }, ...options };
      // Every list has this form; the type of its items follows from its name.
      const page: unknown = await this.#body(name, values as RequestValues<Name>);
      const { items, next_cursor: next } = page as ListPage<ItemOf<Name>>;
      yield* items;
      cursor = next;
    } while (cursor);
  }
}

function callBody(
  args: object,
  { conversationId, timeoutMs }: Pick<CallOptions, "conversationId" | "timeoutMs">,
): RequestBody<"call_tool"> {
  return {
    args,
    ...(conversationId !== undefined && { conversation_id: conversationId }),
    ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
  };
}

const pollMs = 250;

/** Options of a call. */
export interface CallOptions extends RequestOptions {
  readonly conversationId?: string | undefined;
  readonly timeoutMs?: number | undefined;
}

interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

/** The routes that return lists. */
export type ListName = Extract<RouteName, `list_${string}`>;

/**
 * Creates a client of a Windlass server.
 *
 * @example
 * ```ts
 * const client = createClient({ url: "http://127.0.0.1:4780", token });
 * for await (const { name } of client.each("list_tools")) console.log(name);
 * ```
 *
 * @see docs/guide/client.md
 */
export function createClient(options: ClientOptions = {}): WindlassClient {
  return new WindlassClient(options);
}
