import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Clock, systemClock } from "../../../base/index.ts";
import { type Script, ScriptEnded, ScriptReader } from "../script.ts";
import { type ScriptedAnswer, isParts, toTurn } from "../scripted-answer.ts";
import { wait, waitForAbort } from "../wait.ts";
import { Issued } from "./issued.ts";
import { familyAt, readRequest, urlOf } from "./read-request.ts";
import { Refusal } from "./refusal.ts";
import { ScriptFault } from "./script-fault.ts";
import { type Outgoing, sendAnswer } from "./send-answer.ts";
import type { ErrorAnswer, HangingAnswer } from "./wire-fault.ts";
import type { FamilyName, ReasoningField, WireFamily, WireRequest } from "./wire-family.ts";
import { type ServerTurn, toWireTurn, turnOfParts } from "./wire-turn.ts";

/** What a {@link modelServer} answers: what a scripted model answers, also with faults on its way, an error, or nothing. */
export type ServerAnswer = ScriptedAnswer | ServerTurn | ErrorAnswer | HangingAnswer;

/** What a {@link modelServer} is to be. */
export interface ModelServerOptions {
  /** Whether requests are checked as the real APIs check them; true where absent. */
  readonly strict?: boolean;
  /** Under which name thinking goes over the OpenAI protocol; `reasoning_content` where absent. */
  readonly reasoning?: ReasoningField;
  /** Whether the OpenAI protocol wants thinking back with the calls that it led to, as DeepSeek, Kimi and GLM do. */
  readonly reasoningEchoed?: boolean;
  /** The key that every request has to carry; any, or none, will do where absent. */
  readonly apiKey?: string;
  /** 8 MiB */
  readonly maxBodyBytes?: number;
  readonly clock?: Clock;
}

/** A request that a {@link modelServer} got, and what became of it. */
export interface ReceivedRequest extends WireRequest {
  /** What was answered; 0 as long as nothing is. */
  readonly status: number;
  /**
   * `answered` with everything that was to be said, `refused` because of what it asked, `failed` by the script, which
   * says so or throws, `broken` off by a fault, `left` by the asker before the end, `open` until then.
   */
  readonly outcome: "open" | "answered" | "refused" | "failed" | "broken" | "left";
  /** Why it was refused, or what the script threw. */
  readonly refusal?: string;
}

/** A server on this machine that speaks as a provider of models does, and answers by a script. */
export interface ModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:…`, for clients of any kind. */
  readonly url: string;
  /** `127.0.0.1:…`, for the allow-list of a door. */
  readonly host: string;
  /** What each API's client takes as its base. */
  readonly baseUrls: Readonly<Record<FamilyName, string>>;
  /** Everything that was asked in a form that an API knows, in the order in which it came. */
  readonly requests: readonly ReceivedRequest[];
  /** Throws unless every answer was asked for, every question had one, no request was refused, and no function threw. */
  assertComplete(): void;
  /** Ends every connection; resolves when nothing is left open. */
  close(): Promise<void>;
}

/**
 * Starts a server on loopback that speaks the APIs of OpenAI (chat completions), Anthropic (messages) and Gemini
 * (generateContent), streamed and not. One script serves them all. It is as strict as they are: a request with an
 * unanswered tool call, a lost signature or roles out of order is answered 400 and takes nothing from the script.
 *
 * A function in the script gets the request as it came over the wire, a {@link ReceivedRequest}: `body` has the form of the
 * API that was asked, `family` says which. That is not what a function of `scriptedModel` gets.
 *
 * @example
 * ```ts
 * await using server = await modelServer([
 *   { thinking: "I have to look.", toolCalls: [{ name: "search", args: { query: "tides" } }] },
 *   { status: 429, retryAfter: 1 },
 *   "High water is at noon.",
 * ]);
 * // … ask at server.baseUrls.openai, .anthropic or .gemini …
 * server.assertComplete();
 * ```
 */
export async function modelServer(
  script: Script<ReceivedRequest, ServerAnswer>,
  options: ModelServerOptions = {},
): Promise<ModelServer> {
  const server = new ScriptedServer(script, options);
  await server.listen();
  return server;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

class ScriptedServer implements ModelServer {
  readonly requests: Mutable<ReceivedRequest>[] = [];
  readonly #script: ScriptReader<ReceivedRequest, ServerAnswer>;
  readonly #options: ModelServerOptions;
  readonly #clock: Clock;
  readonly #server: Server;
  readonly #issued = new Issued();
  readonly #working = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  readonly #problems: string[] = [];
  #fault: ScriptFault | undefined;
  #port = 0;
  #answers = 0;
  #calls = 0;

  constructor(script: Script<ReceivedRequest, ServerAnswer>, options: ModelServerOptions) {
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

  get baseUrls(): Readonly<Record<FamilyName, string>> {
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
    if (this.#fault !== undefined) throw new Error(this.#fault.told, { cause: this.#fault.cause });
    if (this.#problems.length > 0)
      throw new Error(`the server refused what it was asked:\n${this.#problems.map((line) => `  ${line}`).join("\n")}`);
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
    const left = new AbortController();
    response.on("close", () => left.abort());
    // Told by the close that follows.
    response.on("error", () => {});
    const exchange = new Exchange(response, AbortSignal.any([left.signal, this.#closing.signal]));
    const family = familyAt(urlOf(incoming).pathname);
    try {
      if (family === undefined) throw new Refusal(`there is nothing at ${incoming.method} ${incoming.url}`, 404);
      await this.#answer(await this.#read(incoming, family, exchange), family, exchange);
    } catch (error) {
      await this.#fail(error, family, exchange);
    }
  }

  async #read(incoming: IncomingMessage, family: WireFamily, exchange: Exchange): Promise<ReceivedRequest> {
    const { maxBodyBytes = 8 * 1024 * 1024, apiKey, strict = true, reasoningEchoed = false } = this.#options;
    const request = await readRequest(incoming, family, { maxBodyBytes, apiKey });
    exchange.entry = { ...request, status: 0, outcome: "open" };
    this.requests.push(exchange.entry);
    if (strict) family.check(request, { issued: this.#issued, reasoningEchoed });
    return exchange.entry;
  }

  async #answer(request: ReceivedRequest, family: WireFamily, exchange: Exchange): Promise<void> {
    const { signal } = exchange;
    const answer = await this.#next(request, signal);
    if (isHanging(answer)) return waitForAbort(signal);
    const delayMs = delayOf(answer);
    if (delayMs !== undefined) await wait(this.#clock, delayMs, signal);
    const outgoing = isError(answer) ? errorOf(answer, family) : await this.#turn(answer, request, family);
    const outcome = await this.#send(outgoing, exchange);
    exchange.end(outgoing.status >= 400 ? "failed" : outcome, outgoing.status);
  }

  async #next(request: ReceivedRequest, signal: AbortSignal): Promise<ServerAnswer> {
    try {
      const answer = this.#script.next(request);
      // A function may take its time, but not longer than there is someone to answer.
      return answer instanceof Promise ? await Promise.race([answer, waitForAbort(signal)]) : answer;
    } catch (error) {
      throw error instanceof ScriptEnded ? new Refusal(error.message) : new ScriptFault(error);
    }
  }

  async #turn(answer: ScriptedAnswer | ServerTurn, request: WireRequest, family: WireFamily): Promise<Outgoing> {
    const scripted = toTurn(answer);
    const turn: ServerTurn = isParts(scripted) ? await turnOfParts(scripted) : scripted;
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
    return sendAnswer(response, outgoing, { clock: this.#clock, signal });
  }

  /** Whatever went wrong, the asker is told of it, or is gone. */
  async #fail(error: unknown, family: WireFamily | undefined, exchange: Exchange): Promise<void> {
    if (exchange.signal.aborted || exchange.response.headersSent) return exchange.end("left", 0);
    const { status, message } = toldOf(error);
    if (error instanceof ScriptFault) this.#fault ??= error;
    else this.#problems.push(`${exchange.place()}: ${status} ${message.trim()}`);
    exchange.end(error instanceof ScriptFault ? "failed" : "refused", status, message);
    const body = family?.error(status, message, undefined) ?? { error: { message } };
    // What is left of a request that was not read to its end would be taken for the next one.
    const headers = { "content-type": "application/json", connection: "close" };
    try {
      await this.#send({ status, headers, chunks: [JSON.stringify(body)] }, exchange);
    } catch {
      // The asker has left meanwhile.
    }
  }
}

/** One request on its way. */
class Exchange {
  readonly response: ServerResponse;
  /** Aborted when the asker has left, or the server closes. */
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

  place(): string {
    const { method, url = "" } = this.response.req;
    return this.entry?.path ?? `${method} ${url.split("?")[0]}`;
  }
}

function toldOf(error: unknown): { readonly status: number; readonly message: string } {
  if (error instanceof Refusal) return error;
  // A server that breaks is asked again, and a script that threw would only throw again.
  return error instanceof ScriptFault
    ? { status: 400, message: error.message }
    : { status: 500, message: String(error) };
}

function isHanging(answer: ServerAnswer): answer is HangingAnswer {
  return typeof answer === "object" && "hang" in answer && answer.hang === true;
}

function isError(answer: ServerAnswer): answer is ErrorAnswer {
  if (typeof answer !== "object" || !("status" in answer)) return false;
  return typeof answer.status === "number" && answer.status >= 400 && answer.status < 600;
}

function delayOf(answer: ServerAnswer): number | undefined {
  if (typeof answer !== "object" || !("delayMs" in answer)) return undefined;
  return typeof answer.delayMs === "number" ? answer.delayMs : undefined;
}

function errorOf(answer: ErrorAnswer, family: WireFamily): Outgoing {
  const { status, message = `status ${status}`, retryAfter, headers, body } = answer;
  const told = body ?? family.error(status, message, retryAfter);
  return {
    status,
    headers: {
      "content-type": "application/json",
      ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
      ...headers,
    },
    chunks: [typeof told === "string" ? told : JSON.stringify(told)],
  };
}
