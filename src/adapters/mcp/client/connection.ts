import { AsyncLocalStorage } from "node:async_hooks";
import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import { type Clock, type FailureError, plainJsonSize } from "../../../base/index.ts";
import { stripUnsafe } from "../../../text/index.ts";
import { answerQuestion } from "./answer-question.ts";
import { callWithQuestions } from "./call-with-questions.ts";
import { explainError } from "./explain-error.ts";
import type { HttpTransport } from "./http-transport.ts";
import { LogLines } from "./log-lines.ts";
import type { McpLimits } from "./mcp-limits.ts";
import type {
  McpCallOptions,
  McpCallOutcome,
  McpConnection,
  McpDefinition,
  McpListener,
  McpResource,
  McpResourceContent,
} from "../../../hub/index.ts";
import { mcpFailure } from "./mcp-reasons.ts";
import { type Page, anyAnswer, readContents, readOutcome, readResources, readTools } from "./read-answers.ts";
import type { StdioTransport } from "./stdio-transport.ts";
import { type ToolHeaders, headersFor, readToolHeaders } from "./tool-headers.ts";
import { ToolChanges } from "./tool-changes.ts";

/** Deadlines are the caller's; the client insists on one, so it gets the longest that a timer takes. */
const longest = 2 ** 31 - 1;

/** The answer of a server that misses headers which it has asked for in the definition of a tool. */
const headerMismatch = -32_020;

/** What a server says about itself as a whole is kept as far as this. */
const mostOfInstructions = 8_000;

/** What {@link Connection} needs. */
export interface ConnectionOptions {
  readonly name: string;
  readonly client: Client;
  readonly transport: StdioTransport | HttpTransport;
  readonly listener: McpListener;
  readonly limits: McpLimits;
  readonly clock: Clock;
}

type Answer = Readonly<Record<string, unknown>>;

interface Asking {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The call on whose behalf the running code was called, by whichever connection. */
const current = new AsyncLocalStorage<McpCallOptions>();

/** A connection to a server that has shaken hands, over any transport and in either era of the protocol. */
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
  #over = false;

  /** Readies a client for what a server may say before the handshake is over. */
  constructor(options: ConnectionOptions) {
    const { client, clock, limits, listener, name } = options;
    this.#options = options;
    this.#client = client;
    this.#log = new LogLines({ clock, linesPerSecond: limits.logLinesPerSecond, log: (line) => listener.log(line) });
    this.#changes = new ToolChanges({ client, clock, waitMs: limits.changesMs, tell: () => listener.toolsChanged() });
    const { name: says, version } = client.getServerVersion() ?? {};
    this.server = { name: label(says ?? name), version: label(version ?? "") };
    this.protocol = client.getNegotiatedProtocolVersion() ?? "";
    const instructions = stripUnsafe(client.getInstructions() ?? "")
      .slice(0, mostOfInstructions)
      .toWellFormed();
    if (instructions !== "") this.instructions = instructions;
    this.#attend();
  }

  async listTools(signal: AbortSignal): Promise<readonly McpDefinition[]> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return [];
    const tools = await this.#list("tools/list", readTools, signal);
    this.#headers.clear();
    return this.#usesHeaders ? tools.filter((tool) => this.#takesHeaders(tool)) : tools;
  }

  async listResources(signal: AbortSignal): Promise<readonly McpResource[]> {
    if (this.#client.getServerCapabilities()?.resources === undefined) return [];
    return this.#list("resources/list", readResources, signal);
  }

  async readResource(uri: string, signal: AbortSignal): Promise<readonly McpResourceContent[]> {
    const asked = { method: "resources/read", params: { uri } };
    const contents = readContents(await this.#converse(asked, { signal }));
    if (contents === undefined) throw this.#badAnswer("resources/read");
    return contents;
  }

  async callTool(name: string, args: unknown, call: McpCallOptions): Promise<McpCallOutcome> {
    const asked = { method: "tools/call", params: { name, arguments: args } };
    this.#calls.add(call);
    try {
      const outcome = readOutcome(await this.#callWithHeaders(asked, call));
      if (outcome === undefined) throw this.#badAnswer("tools/call");
      return outcome;
    } finally {
      this.#calls.delete(call);
    }
  }

  async close(): Promise<void> {
    this.#changes.stop();
    // A client whose transport is gone has let go of it.
    await this.#client.close();
    await this.#options.transport.close();
  }

  /** Listens to what a server says by itself. */
  #attend(): void {
    const client = this.#client;
    Object.assign(client, {
      onerror: (error) => this.#log.tell(error.message),
      onclose: () => this.#closed(),
    } satisfies Partial<Client>);
    client.setRequestHandler("elicitation/create", ({ params }) =>
      answerQuestion({ server: this.#options.name, params, call: this.#asker(), tell: (line) => this.#log.tell(line) }),
    );
    client.setNotificationHandler("notifications/message", ({ params: { level, data } }) => {
      this.#log.tell(`${level}: ${typeof data === "string" ? data : JSON.stringify(data)}`);
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

  /** Whom a question of the server is for: the call on whose stream it came, or the only one there is. */
  #asker(): McpCallOptions | undefined {
    const call = current.getStore();
    if (call !== undefined && this.#calls.has(call)) return call;
    return this.#calls.size === 1 ? [...this.#calls][0] : undefined;
  }

  get #usesHeaders(): boolean {
    return this.#client.getProtocolEra() === "modern" && !("pid" in this.#options.transport);
  }

  #takesHeaders({ name, inputSchema }: McpDefinition): boolean {
    const headers = readToolHeaders(inputSchema);
    if (headers.ok) this.#headers.set(name, headers);
    else this.#log.tell(`the tool ${JSON.stringify(name.slice(0, 100))} is left out: ${headers.problem}`);
    return headers.ok;
  }

  /** A server that misses headers has not run anything: its tools are looked at, and the call is made once more. */
  async #callWithHeaders(asked: Asking, call: McpCallOptions): Promise<Answer> {
    if (!this.#usesHeaders) return this.#converse(asked, call);
    try {
      return await this.#converse(asked, call, this.#headersOf(asked));
    } catch (error) {
      const code =
        error instanceof Error && error.cause instanceof Error && "code" in error.cause ? error.cause.code : 0;
      if (code !== headerMismatch) throw error;
    }
    await this.listTools(call.signal);
    return this.#converse(asked, call, this.#headersOf(asked));
  }

  #headersOf({ params }: Asking): Readonly<Record<string, string>> {
    const headers = this.#headers.get(String(params["name"]));
    return headers?.ok === true ? headersFor(headers.headers, params["arguments"]) : {};
  }

  #converse(asked: Asking, call: McpCallOptions, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const { clock, limits, name } = this.#options;
    return callWithQuestions({
      server: name,
      call,
      mostRounds: limits.questionRounds,
      send: (added) => this.#ask({ ...asked, params: { ...asked.params, ...added } }, call, headers),
      wait: (ms) => new Promise((resolve) => void clock.after(ms, resolve)),
      tell: (line) => this.#log.tell(line),
    });
  }

  /** One request and its answer. */
  async #ask(asked: Asking, call: McpCallOptions, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const { name } = this.#options;
    const { signal, onProgress } = call;
    if (signal.aborted) throw mcpFailure("aborted", "cancelled before it was sent", { retry: "safe" });
    const cancel = new AbortController();
    // The server is told that it was cancelled, and nothing of why.
    const abort = (): void => cancel.abort("cancelled");
    signal.addEventListener("abort", abort, { once: true });
    const options: RequestOptions = {
      signal: cancel.signal,
      timeout: longest,
      allowInputRequired: true,
      headers,
      ...(onProgress !== undefined && { onprogress: (progress) => onProgress(shown(progress)) }),
    };
    try {
      return await current.run(call, () => this.#client.request(asked, anyAnswer, options));
    } catch (error) {
      if (signal.aborted) throw mcpFailure("aborted", `the call of the MCP server "${name}" was cancelled`);
      throw this.#explained(error);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  #explained(error: unknown): FailureError {
    return explainError(error, this.#options.name);
  }

  async #list<T>(
    method: string,
    read: (answer: Answer) => Page<T> | undefined,
    signal: AbortSignal,
  ): Promise<readonly T[]> {
    const { listPages, listEntries, listBytes } = this.#options.limits;
    const entries: T[] = [];
    let bytes = 0;
    let cursor: string | undefined;
    for (let pages = 0; pages < listPages; pages++) {
      const answer = await this.#ask({ method, params: cursor === undefined ? {} : { cursor } }, { signal });
      const page = read(answer);
      if (page === undefined) throw this.#badAnswer(method);
      for (const problem of page.problems) this.#log.tell(problem);
      entries.push(...page.entries);
      bytes += Math.max(0, plainJsonSize(answer, listBytes));
      if (page.next === undefined) return entries;
      if (page.next === cursor || entries.length > listEntries || bytes > listBytes) break;
      cursor = page.next;
    }
    throw mcpFailure(
      "endless_list",
      `${method} of the MCP server "${this.#options.name}" does not come to an end; ` +
        `at most ${listPages} pages with ${listEntries} entries are read`,
    );
  }

  #badAnswer(method: string): FailureError {
    return mcpFailure("bad_answer", `the MCP server "${this.#options.name}" answers ${method} with something else`);
  }
}

function label(text: string): string {
  return stripUnsafe(text).slice(0, 200);
}

function shown(progress: { progress: number; total?: number | undefined; message?: string | undefined }): {
  progress: number;
  total?: number;
  message?: string;
} {
  return {
    progress: progress.progress,
    ...(progress.total !== undefined && { total: progress.total }),
    ...(progress.message !== undefined && { message: stripUnsafe(progress.message).slice(0, 1_000) }),
  };
}
