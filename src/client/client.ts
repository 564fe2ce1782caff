import type { QueryParams, RequestBody, ResponseBody, RouteName, StreamEvent } from "../api/index.ts";
import { ClientAgents, ClientConversations } from "./agents.ts";
import { type EventsOptions, readEvents } from "./event-stream.ts";
import { ClientRuns } from "./runs.ts";
import {
  type ClientOptions,
  type Received,
  type RequestOptions,
  RequestSender,
  type RequestValues,
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
 * @see docs/guide/http-api.md
 */
export class WindlassClient {
  readonly #sender: RequestSender;

  /** Runs of all kinds: start, read, follow, cancel, resume, repeat. */
  readonly runs: ClientRuns;

  /** Agents: send messages. */
  readonly agents: ClientAgents;

  /** Conversations with agents: list, read, remove. */
  readonly conversations: ClientConversations;

  constructor(options: ClientOptions) {
    this.#sender = new RequestSender(options);
    this.runs = new ClientRuns(this.#sender);
    this.agents = new ClientAgents(this.#sender, this.runs);
    this.conversations = new ClientConversations(this.#sender);
  }

  /**
   * Live events of these topics. A lost connection is made again, and continues after the last event: no event with an id
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
      const body: RequestBody<"call_tool"> = {
        args,
        ...(conversationId !== undefined && { conversation_id: conversationId }),
        ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
      };
      return this.#body("call_tool", { params: { name }, body, ...options });
    },
  };

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
export type ListName = "list_conversations" | "list_tools" | "list_approvals" | "list_records" | "list_runs";

/**
 * Creates a client of a Windlass server.
 *
 * @example
 * ```ts
 * const client = createClient({ url: "http://127.0.0.1:4780", token });
 * for await (const { name } of client.each("list_tools")) console.log(name);
 * ```
 *
 * @see docs/guide/http-api.md
 */
export function createClient(options: ClientOptions = {}): WindlassClient {
  return new WindlassClient(options);
}
