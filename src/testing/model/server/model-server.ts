import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Clock, systemClock } from "../../../base/index.ts";
import { type Script, isScriptEnded, ScriptReader } from "../script.ts";
import { type ScriptedResponse, isRawStreamParts, toScriptedTurn } from "../scripted-response.ts";
import { wait, waitForAbort } from "../scripted-stream.ts";
import {
  IssuedTurns,
  type WireApiName,
  type ReasoningField,
  type WireApi,
  type WireRequest,
  type ErrorResponse,
  type HangingResponse,
  ApiRejection,
  isApiRejection,
} from "./wire-api.ts";
import { wireApiAt, readRequest, urlOf } from "./read-request.ts";
import { type Outgoing, sendModelResponse } from "./send-model-response.ts";
import { type ServerTurn, toWireTurn, turnOfParts } from "./wire-turn.ts";
import { stripUnsafe } from "../../../text/index.ts";

/** A response of a {@link modelServer}: one of a scripted model, optionally with wire faults, an error, or none. */
export type ModelServerResponse = ScriptedResponse | ServerTurn | ErrorResponse | HangingResponse;

/** Options of a {@link modelServer}. */
export interface ModelServerOptions {
  /** Validate requests as the real APIs do. Default: true. */
  readonly strict?: boolean;
  /** Name of the thinking field in the OpenAI protocol. Default: `reasoning_content`. */
  readonly reasoning?: ReasoningField;
  /** Require thinking back with the calls that it led to (OpenAI protocol), as DeepSeek, Kimi and GLM do. */
  readonly reasoningEchoed?: boolean;
  /** The key that every request has to carry. Default: any key, or none, is accepted. */
  readonly apiKey?: string;
  /** 8 MiB */
  readonly maxBodyBytes?: number;
  readonly clock?: Clock;
}

/** A request that a {@link modelServer} received, and its outcome. */
export interface ReceivedRequest extends WireRequest {
  /** HTTP status of the response; 0 until there is one. */
  readonly status: number;
  /**
   * `answered`: the whole response was sent; `refused`: the request was invalid; `failed`: the script returned an error
   * or threw; `broken`: a fault cut the connection; `disconnected`: the client disconnected before the end; `open`: none of
   * these yet.
   */
  readonly outcome: "open" | "answered" | "refused" | "failed" | "broken" | "disconnected";
  /** The reason of a refusal, or the error that the script threw. */
  readonly refusal?: string;
}

/** A server on this machine that speaks the APIs of model providers and responds by a script. */
export interface ModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:…`, for clients of any kind. */
  readonly url: string;
  /** `127.0.0.1:…`, for the allow-list of an HTTP client. */
  readonly host: string;
  /** Base URL for the client of each API. */
  readonly baseUrls: Readonly<Record<WireApiName, string>>;
  /** Every request in the form of a known API, in order of arrival. */
  readonly requests: readonly ReceivedRequest[];
  /**
   * Throws unless every response was requested, every request had a response, no request was refused, and no function
   * threw.
   */
  assertComplete(): void;
  /** Closes every connection; resolves when none remains open. */
  close(): Promise<void>;
}

/**
 * Starts a server on loopback that speaks the APIs of OpenAI (chat completions), Anthropic (messages) and Gemini
 * (generateContent), streamed and not. One script serves them all. It is as strict as they are: a request with an
 * unanswered tool call, a lost signature or roles out of order gets status 400 and consumes nothing from the script.
 *
 * A function in the script gets the request as it came over the wire, a {@link ReceivedRequest}: `body` has the form
 * of the requested API, `family` names it. A function of `scriptedModel` gets something else.
 *
 * @example
 * ```ts
 * await using server = await modelServer([
 *   { thinking: "I have to look.", toolCalls: [{ name: "search", args: { query: "tides" } }] },
 *   { status: 429, retryAfter: 1 },
 *   "High water is at noon.",
 * ]);
 * // … send requests to server.baseUrls.openai, .anthropic or .gemini …
 * server.assertComplete();
 * ```
 *
 * @see docs/guide/testing.md
 */
export async function modelServer(
  script: Script<ReceivedRequest, ModelServerResponse>,
  options: ModelServerOptions = {},
): Promise<ModelServer> {
  const server = new ScriptedServer(script, options);
  await server.listen();
  return server;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

class ScriptedServer implements ModelServer {
  readonly requests: Mutable<ReceivedRequest>[] = [];
  readonly #script: ScriptReader<ReceivedRequest, ModelServerResponse>;
  readonly #options: ModelServerOptions;
  readonly #clock: Clock;
  readonly #server: Server;
  readonly #issued = new IssuedTurns();
  readonly #working = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  readonly #problems: string[] = [];
  #fault: ScriptError | undefined;
  #port = 0;
  #answers = 0;
  #calls = 0;

  constructor(script: Script<ReceivedRequest, ModelServerResponse>, options: ModelServerOptions) {
    this.#script = new ScriptReader(script);
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#server = createServer((incoming, response) => {
      const work = this.#handle(incoming, response).finally(() => this.#working.delete(work));
      this.#working.add(work);
    });
  }

  get host(): string {
    return `127.0.0.1:${this.#port}`;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  get baseUrls(): Readonly<Record<WireApiName, string>> {
    return { openai: `${this.url}/v1`, anthropic: `${this.url}/v1`, gemini: `${this.url}/v1beta` };
  }

  async listen(): Promise<void> {
    const listening = Promise.withResolvers<void>();
    this.#server.once("error", listening.reject);
    this.#server.listen(0, "127.0.0.1", listening.resolve);
    await listening.promise;
    // A server that listens on TCP has an address of this kind.
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  assertComplete(): void {
    if (this.#fault !== undefined) throw new Error(this.#fault.details, { cause: this.#fault.cause });
    if (this.#problems.length > 0)
      throw new Error(`the server refused requests:\n${this.#problems.map((line) => `  ${line}`).join("\n")}`);
    this.#script.assertComplete();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await Promise.all([closed, ...this.#working]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const disconnected = new AbortController();
    response.on("close", () => disconnected.abort());
    // Reported by the close event that follows.
    response.on("error", () => {});
    const exchange = new Exchange(response, AbortSignal.any([disconnected.signal, this.#closing.signal]));
    const family = wireApiAt(urlOf(incoming).pathname);
    try {
      if (family === undefined) throw new ApiRejection(`there is nothing at ${incoming.method} ${incoming.url}`, 404);
      await this.#answer(await this.#read(incoming, family, exchange), family, exchange);
    } catch (error) {
      await this.#fail(error, family, exchange);
    }
  }

  async #read(incoming: IncomingMessage, family: WireApi, exchange: Exchange): Promise<ReceivedRequest> {
    const { maxBodyBytes = 8 * 1024 * 1024, apiKey, strict = true, reasoningEchoed = false } = this.#options;
    const request = await readRequest(incoming, family, maxBodyBytes, apiKey);
    exchange.entry = { ...request, status: 0, outcome: "open" };
    this.requests.push(exchange.entry);
    if (strict) family.check(request, { issued: this.#issued, reasoningEchoed });
    return exchange.entry;
  }

  async #answer(request: ReceivedRequest, family: WireApi, exchange: Exchange): Promise<void> {
    const { signal } = exchange;
    const answer = await this.#next(request, signal);
    if (isHanging(answer)) return waitForAbort(signal);
    const delayMs = delayOf(answer);
    if (delayMs !== undefined) await wait(this.#clock, delayMs, signal);
    const outgoing = isError(answer) ? errorOf(answer, family) : await this.#turn(answer, request, family);
    const outcome = await this.#send(outgoing, exchange);
    exchange.end(outgoing.status >= 400 ? "failed" : outcome, outgoing.status);
  }

  async #next(request: ReceivedRequest, signal: AbortSignal): Promise<ModelServerResponse> {
    try {
      const answer = this.#script.next(request);
      // A function may be slow, but is only awaited while the client is connected.
      return answer instanceof Promise ? await Promise.race([answer, waitForAbort(signal)]) : answer;
    } catch (error) {
      throw isScriptEnded(error) ? new ApiRejection(error.message) : new ScriptError(error);
    }
  }

  async #turn(answer: ScriptedResponse | ServerTurn, request: WireRequest, family: WireApi): Promise<Outgoing> {
    const scripted = toScriptedTurn(answer);
    const turn: ServerTurn = isRawStreamParts(scripted) ? await turnOfParts(scripted) : scripted;
    if (turn.error !== undefined) return errorOf({ status: 500, message: turn.error.message }, family);
    const wired = toWireTurn(turn, {
      number: ++this.#answers,
      nextId: () => `${family.idPrefix}${++this.#calls}`,
      sign: (text) => this.#issued.sign(text),
      signsCalls: family.signsCalls,
    });
    this.#issued.add(wired);
    const { reasoning = "reasoning_content" } = this.#options;
    const { faults } = wired;
    if (request.stream) {
      return {
        status: 200,
        headers: { "content-type": "text/event-stream", "cache-control": "no-cache" },
        chunks: [...family.events(wired, request, reasoning)],
        errorChunk: family.errorEvent("the model is overloaded"),
        faults,
        ...(turn.pieceDelayMs !== undefined && { pieceDelayMs: turn.pieceDelayMs }),
      };
    }
    if (faults.errorAtChunk !== undefined) return errorOf({ status: 503, message: "the model is overloaded" }, family);
    const body = JSON.stringify(family.whole(wired, request, reasoning));
    return { status: 200, headers: { "content-type": "application/json" }, chunks: [body], faults };
  }

  #send(outgoing: Outgoing, { response, signal }: Exchange): Promise<"answered" | "broken"> {
    return sendModelResponse(response, outgoing, { clock: this.#clock, signal });
  }

  /** Sends any error to the client, unless it has disconnected. */
  async #fail(error: unknown, family: WireApi | undefined, exchange: Exchange): Promise<void> {
    if (exchange.signal.aborted || exchange.response.headersSent) return exchange.end("disconnected", 0);
    const { status, message } = scriptErrorMessage(error);
    if (error instanceof ScriptError) this.#fault ??= error;
    else this.#problems.push(`${exchange.position()}: ${status} ${message.trim()}`);
    exchange.end(error instanceof ScriptError ? "failed" : "refused", status, message);
    const body = family?.error(status, message, undefined) ?? { error: { message } };
    // The unread rest of a request would otherwise be parsed as the next one.
    const headers = { "content-type": "application/json", connection: "close" };
    try {
      await this.#send({ status, headers, chunks: [JSON.stringify(body)] }, exchange);
    } catch {
      // The client has already disconnected.
    }
  }
}

/** One request in progress. */
class Exchange {
  readonly response: ServerResponse;
  /** Aborted when the client disconnects, or the server closes. */
  readonly signal: AbortSignal;
  entry: Mutable<ReceivedRequest> | undefined;

  constructor(response: ServerResponse, signal: AbortSignal) {
    this.response = response;
    this.signal = signal;
  }

  end(outcome: ReceivedRequest["outcome"], status: number, refusal?: string): void {
    const { entry } = this;
    if (entry === undefined) return;
    entry.outcome = outcome;
    entry.status = status;
    if (refusal !== undefined) entry.refusal = refusal;
  }

  position(): string {
    const { method, url = "" } = this.response.req;
    return this.entry?.path ?? `${method} ${url.split("?")[0]}`;
  }
}

function scriptErrorMessage(error: unknown): { readonly status: number; readonly message: string } {
  if (isApiRejection(error)) return error;
  // Clients retry a server error, but a script that threw would only throw again.
  return error instanceof ScriptError
    ? { status: 400, message: error.message }
    : { status: 500, message: String(error) };
}

function isHanging(answer: ModelServerResponse): answer is HangingResponse {
  return typeof answer === "object" && "hang" in answer && answer.hang === true;
}

function isError(answer: ModelServerResponse): answer is ErrorResponse {
  if (typeof answer !== "object" || !("status" in answer)) return false;
  return typeof answer.status === "number" && answer.status >= 400 && answer.status < 600;
}

function delayOf(answer: ModelServerResponse): number | undefined {
  if (typeof answer !== "object" || !("delayMs" in answer)) return undefined;
  return typeof answer.delayMs === "number" ? answer.delayMs : undefined;
}

function errorOf(answer: ErrorResponse, family: WireApi): Outgoing {
  const { status, message = `status ${status}`, retryAfter, headers, body } = answer;
  const reported = body ?? family.error(status, message, retryAfter);
  return {
    status,
    headers: {
      "content-type": "application/json",
      ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
      ...headers,
    },
    chunks: [typeof reported === "string" ? reported : JSON.stringify(reported)],
  };
}

/** A function of the script threw: a mistake in the test, not of the client. */
class ScriptError extends Error {
  constructor(cause: unknown) {
    super(`the script threw: ${cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)}`, { cause });
  }

  /** The message with the stack of the function that threw. */
  get details(): string {
    const { cause } = this;
    return cause instanceof Error && cause.stack !== undefined
      ? `the script threw: ${stripUnsafe(cause.stack)}`
      : this.message;
  }
}
