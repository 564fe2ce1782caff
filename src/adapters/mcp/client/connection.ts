import { AsyncLocalStorage } from "node:async_hooks";
import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import { type Clock, type FailureError, plainJsonSize, sleep } from "../../../base/index.ts";
import { stripUnsafe } from "../../../text/index.ts";
import { answerElicitation } from "./answer-elicitation.ts";
import { callWithElicitation } from "./call-with-elicitation.ts";
import { classifyMcpError } from "./classify-mcp-error.ts";
import type { HttpTransport } from "./http-transport.ts";
import { LogLines } from "./log-lines.ts";
import type { McpLimits } from "./mcp-limits.ts";
import type {
  McpCallOptions,
  McpCallOutcome,
  McpConnection,
  McpToolDefinition,
  McpListener,
  McpResource,
  McpResourceContent,
} from "../../../hub/index.ts";
import { mcpFailure } from "./mcp-reasons.ts";
import { type ListPage, anyResult, readContents, readOutcome, readResources, readTools } from "./read-answers.ts";
import type { StdioTransport } from "./stdio-transport.ts";
import { type ToolHeaders, headersFor, readToolHeaders } from "./tool-headers.ts";
import { ToolChanges } from "./tool-changes.ts";

/** The caller sets deadlines; the client requires a timeout, so it gets the longest one that a timer supports. */
const maxDelayMs = 2 ** 31 - 1;

/** Error code of a server that reports missing headers, which its tool definition requires. */
const headerMismatch = -32_020;

/** Maximum length of a server's instructions that is stored. */
const maxInstructionsChars = 8_000;

/** Options of {@link Connection}. */
export interface ConnectionOptions {
  readonly name: string;
  readonly client: Client;
  readonly transport: StdioTransport | HttpTransport;
  readonly listener: McpListener;
  readonly limits: McpLimits;
  readonly clock: Clock;
}

/** Maximum number of problems of one list that are stored. */
const maxListProblems = 20;

type RawReply = Readonly<Record<string, unknown>>;

interface McpRequestOptions {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The call on whose behalf the current code runs, for all connections. */
const current = new AsyncLocalStorage<McpCallOptions>();

/** A connection to a server after the handshake, over any transport and protocol version. */
export class Connection implements McpConnection {
  readonly server: McpConnection["server"];
  readonly protocol: string;
  readonly instructions?: string;
  readonly #options: ConnectionOptions;
  readonly #client: Client;
  readonly #calls = new Set<McpCallOptions>();
  readonly #headers = new Map<string, ToolHeaders>();
  readonly #log: LogLines;
  readonly #changes: ToolChanges;
  #listProblems: string[] = [];
  #over = false;

  /** Prepares a client for messages that a server may send before the handshake is complete. */
  constructor(options: ConnectionOptions) {
    const { client, clock, limits, listener, name } = options;
    this.#options = options;
    this.#client = client;
    this.#log = new LogLines({ clock, linesPerSecond: limits.logLinesPerSecond, log: (line) => listener.log(line) });
    this.#changes = new ToolChanges({
      client,
      clock,
      waitMs: limits.changesMs,
      onChange: () => listener.toolsChanged(),
    });
    const { name: says, version } = client.getServerVersion() ?? {};
    this.server = { name: label(says ?? name), version: label(version ?? "") };
    this.protocol = client.getNegotiatedProtocolVersion() ?? "";
    const instructions = stripUnsafe(client.getInstructions() ?? "")
      .slice(0, maxInstructionsChars)
      .toWellFormed();
    if (instructions !== "") this.instructions = instructions;
    this.#answerRequests();
  }

  async listTools(signal: AbortSignal): Promise<readonly McpToolDefinition[]> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return [];
    this.#listProblems = [];
    const tools = await this.#list("tools/list", readTools, signal);
    this.#headers.clear();
    return this.#usesHeaders ? tools.filter((tool) => this.#takesHeaders(tool)) : tools;
  }

  get listProblems(): readonly string[] {
    return this.#listProblems;
  }

  async listResources(signal: AbortSignal): Promise<readonly McpResource[]> {
    if (this.#client.getServerCapabilities()?.resources === undefined) return [];
    return this.#list("resources/list", readResources, signal);
  }

  async readResource(uri: string, signal: AbortSignal): Promise<readonly McpResourceContent[]> {
    const request = { method: "resources/read", params: { uri } };
    const contents = readContents(await this.#converse(request, { signal }));
    if (contents === undefined) throw this.#badAnswer("resources/read");
    return contents;
  }

  async callTool(name: string, args: unknown, call: McpCallOptions): Promise<McpCallOutcome> {
    const request = { method: "tools/call", params: { name, arguments: args } };
    this.#calls.add(call);
    try {
      const outcome = readOutcome(await this.#callWithHeaders(request, call));
      if (typeof outcome === "string") throw this.#badAnswer("tools/call", outcome);
      return outcome;
    } finally {
      this.#calls.delete(call);
    }
  }

  async close(): Promise<void> {
    this.#changes.stop();
    // A client whose transport has ended has released it.
    await this.#client.close();
    await this.#options.transport.close();
  }

  /** Handles requests and notifications of a server. */
  #answerRequests(): void {
    const client = this.#client;
    Object.assign(client, {
      onerror: (error) => this.#log.write(error.message),
      onclose: () => this.#closed(),
    } satisfies Partial<Client>);
    client.setRequestHandler("elicitation/create", ({ params }) =>
      answerElicitation({
        server: this.#options.name,
        params,
        call: this.#requester(),
        log: (line) => this.#log.write(line),
      }),
    );
    client.setNotificationHandler("notifications/message", ({ params: { level, data } }) => {
      this.#log.write(`${level}: ${typeof data === "string" ? data : JSON.stringify(data)}`);
    });
    this.#changes.start();
  }

  #closed(): void {
    if (this.#over) return;
    this.#over = true;
    this.#changes.stop();
    // By then every call has failed.
    setImmediate(() => this.#options.listener.closed(this.#options.transport.lost));
  }

  /** The recipient of a server's elicitation: the call on whose stream it arrived, or the only call in flight. */
  #requester(): McpCallOptions | undefined {
    const call = current.getStore();
    if (call !== undefined && this.#calls.has(call)) return call;
    return this.#calls.size === 1 ? [...this.#calls][0] : undefined;
  }

  get #usesHeaders(): boolean {
    return this.#client.getProtocolEra() === "modern" && !("pid" in this.#options.transport);
  }

  #takesHeaders({ name, inputSchema }: McpToolDefinition): boolean {
    const headers = readToolHeaders(inputSchema);
    if (headers.ok) this.#headers.set(name, headers);
    else this.#reportEntry(`the tool ${JSON.stringify(name.slice(0, 100))} is left out: ${headers.problem}`);
    return headers.ok;
  }

  /** A server that reports missing headers has not run the tool: its tools are listed and the call is sent again. */
  async #callWithHeaders(request: McpRequestOptions, call: McpCallOptions): Promise<RawReply> {
    if (!this.#usesHeaders) return this.#converse(request, call);
    try {
      return await this.#converse(request, call, this.#headersOf(request));
    } catch (error) {
      const code =
        error instanceof Error && error.cause instanceof Error && "code" in error.cause ? error.cause.code : 0;
      if (code !== headerMismatch) throw error;
    }
    await this.listTools(call.signal);
    return this.#converse(request, call, this.#headersOf(request));
  }

  #headersOf({ params }: McpRequestOptions): Readonly<Record<string, string>> {
    const headers = this.#headers.get(String(params["name"]));
    return headers?.ok === true ? headersFor(headers.headers, params["arguments"]) : {};
  }

  #converse(
    request: McpRequestOptions,
    call: McpCallOptions,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<RawReply> {
    const { clock, limits, name } = this.#options;
    return callWithElicitation({
      server: name,
      call,
      maxRounds: limits.elicitationRounds,
      send: (added) => this.#request({ ...request, params: { ...request.params, ...added } }, call, headers),
      wait: (ms) => sleep(clock, ms),
      log: (line) => this.#log.write(line),
    });
  }

  /** One request and its answer. */
  async #request(
    request: McpRequestOptions,
    call: McpCallOptions,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<RawReply> {
    const { name } = this.#options;
    const { signal, onProgress } = call;
    if (signal.aborted) throw mcpFailure("aborted", "cancelled before it was sent", { retry: "safe" });
    const cancel = new AbortController();
    // The server learns that the request was cancelled, but not why.
    const abort = (): void => cancel.abort("cancelled");
    signal.addEventListener("abort", abort, { once: true });
    const options: RequestOptions = {
      signal: cancel.signal,
      timeout: maxDelayMs,
      allowInputRequired: true,
      headers,
      ...(onProgress !== undefined && {
        onprogress: (progress) =>
          onProgress({
            progress: progress.progress,
            ...(progress.total !== undefined && { total: progress.total }),
            ...(progress.message !== undefined && { message: stripUnsafe(progress.message).slice(0, 1_000) }),
          }),
      }),
    };
    try {
      return await current.run(call, () => this.#client.request(request, anyResult, options));
    } catch (error) {
      if (signal.aborted) throw mcpFailure("aborted", `the call of the MCP server "${name}" was cancelled`);
      throw classifyMcpError(error, this.#options.name);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  async #list<T>(
    method: string,
    read: (answer: RawReply) => ListPage<T> | undefined,
    signal: AbortSignal,
  ): Promise<readonly T[]> {
    const { listPages, listEntries, listBytes } = this.#options.limits;
    const entries: T[] = [];
    let bytes = 0;
    let cursor: string | undefined;
    for (let pages = 0; pages < listPages; pages++) {
      const answer = await this.#request({ method, params: cursor === undefined ? {} : { cursor } }, { signal });
      const page = read(answer);
      if (page === undefined) throw this.#badAnswer(method);
      for (const problem of page.problems) this.#reportEntry(problem);
      entries.push(...page.entries);
      bytes += Math.max(0, plainJsonSize(answer, listBytes));
      if (page.next === undefined) return entries;
      if (page.next === cursor || entries.length > listEntries || bytes > listBytes) break;
      cursor = page.next;
    }
    throw mcpFailure(
      "list_too_long",
      `${method} of the MCP server "${this.#options.name}" does not end; ` +
        `at most ${listPages} pages with ${listEntries} entries are read`,
    );
  }

  #reportEntry(problem: string): void {
    this.#log.write(problem);
    if (this.#listProblems.length < maxListProblems) this.#listProblems.push(problem);
  }

  #badAnswer(method: string, why = "with something else"): FailureError {
    const { name } = this.#options;
    return mcpFailure("bad_answer", `the MCP server "${name}" answers ${method} against the protocol: ${why}`);
  }
}

function label(text: string): string {
  return stripUnsafe(text).slice(0, 200);
}
