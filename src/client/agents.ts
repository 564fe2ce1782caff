import {
  type QueryParams,
  type RequestBody,
  type ResponseBody,
  type StreamEvent,
  type WireValue,
  runTopic,
} from "../api/index.ts";
import { type EventsOptions, readEvents } from "./event-stream.ts";
import type { ClientRuns } from "./runs.ts";
import type { RequestOptions, RequestSender, RequestValues } from "./send-request.ts";

/** Options of a message to an agent. */
export interface MessageOptions extends RequestOptions {
  /** The conversation to continue, or to start under this id. Default: a new one, with the id of the run. */
  readonly conversationId?: string | undefined;
  /** The same id with the same prompt and conversation joins the run that has it. */
  readonly runId?: string | undefined;
  /** A model of the settings. */
  readonly model?: string | undefined;
  /** Maximum rounds of tool calls. */
  readonly maxRounds?: number | undefined;
  readonly images?: RequestBody<"send_message">["images"] | undefined;
  /** A part of the prompt, or all of it, comes from others, such as a mail. */
  readonly untrusted?: "part" | "all" | undefined;
}

/** The answer of an agent. */
export interface AgentAnswer {
  /** Empty unless the run has succeeded. */
  readonly answer: string;
  /** Its run: failed, cancelled, or waiting for an approval if it did not succeed. */
  readonly run: WireValue<"RunDetail">;
}

/**
 * Agents: send messages.
 *
 * @see docs/guide/http-api.md
 */
export class ClientAgents {
  readonly #sender: RequestSender;
  readonly #runs: ClientRuns;

  constructor(sender: RequestSender, runs: ClientRuns) {
    this.#sender = sender;
    this.#runs = runs;
  }

  /** The runners, and why some of them are not available. */
  async list(options: RequestOptions = {}): Promise<ResponseBody<"list_agents">> {
    return (await this.#sender.send("list_agents", { params: {}, ...options })).body;
  }

  /** Sends a prompt, and returns its run at once. */
  async send(runner: string, prompt: string, options: MessageOptions = {}): Promise<WireValue<"RunDetail">> {
    return (await this.#sender.send("send_message", toRequest(runner, prompt, options))).body;
  }

  /** Sends a prompt, and waits for its answer, or until its run waits for an approval. */
  async ask(runner: string, prompt: string, options: MessageOptions = {}): Promise<AgentAnswer> {
    const { run_id: id } = await this.send(runner, prompt, options);
    const run = await this.#runs.result(id, options);
    return { run, answer: answerOf(run.output) };
  }

  /**
   * Sends a prompt, and returns the events of its run until its end, over lost connections: `activity` events have the
   * pieces of the text and the tool calls.
   *
   * @example
   * ```ts
   * for await (const { type, data } of client.agents.stream("autonomous", "What is new?")) {
   *   if (type === "activity" && data.event.type === "text_delta") console.log(data.event.text);
   * }
   * ```
   */
  async *stream(
    runner: string,
    prompt: string,
    { onDisconnect, signal, ...options }: MessageOptions & Pick<EventsOptions, "onDisconnect"> = {},
  ): AsyncGenerator<StreamEvent, void, undefined> {
    const connection = new AbortController();
    const request = toRequest(runner, prompt, options);
    const response = await this.#sender.open("send_message", {
      ...request,
      headers: { ...request.headers, accept: "text/event-stream" },
      signal: signal === undefined ? connection.signal : AbortSignal.any([signal, connection.signal]),
    });
    // `/v1/runs/ID`
    const id = decodeURIComponent(response.headers.get("location")?.split("/").at(-1) ?? "");
    const first = { response, close: () => connection.abort() };
    yield* readEvents(this.#sender, { topics: [runTopic(id)], until: "end", signal, onDisconnect }, first);
  }
}

function toRequest(runner: string, prompt: string, options: MessageOptions): RequestValues<"send_message"> {
  const { conversationId, runId, model, maxRounds, images, untrusted, ...request } = options;
  const body: RequestBody<"send_message"> = {
    prompt,
    ...(conversationId !== undefined && { conversation_id: conversationId }),
    ...(runId !== undefined && { run_id: runId }),
    ...(model !== undefined && { model }),
    ...(maxRounds !== undefined && { max_rounds: maxRounds }),
    ...(images !== undefined && { images }),
    ...(untrusted !== undefined && { untrusted }),
  };
  return { params: { runner }, body, ...request };
}

function answerOf(output: unknown): string {
  const { answer } = (output ?? {}) as { readonly answer?: unknown };
  return typeof answer === "string" ? answer : "";
}

/**
 * Conversations: list, read, remove.
 *
 * @see docs/guide/http-api.md
 */
export class ClientConversations {
  readonly #sender: RequestSender;

  constructor(sender: RequestSender) {
    this.#sender = sender;
  }

  /** The conversations, the one with the newest message first. */
  async list(
    query: QueryParams<"list_conversations"> = {},
    options: RequestOptions = {},
  ): Promise<ResponseBody<"list_conversations">> {
    return (await this.#sender.send("list_conversations", { params: {}, query, ...options })).body;
  }

  /** A conversation with its turns, the newest first. */
  async get(
    id: string,
    query: QueryParams<"get_conversation"> = {},
    options: RequestOptions = {},
  ): Promise<ResponseBody<"get_conversation">> {
    return (await this.#sender.send("get_conversation", { params: { id }, query, ...options })).body;
  }

  /** Removes a conversation with its runs and the records of their calls. */
  async delete(id: string, options: RequestOptions = {}): Promise<void> {
    await this.#sender.send("delete_conversation", { params: { id }, ...options });
  }
}
