import { isRecord } from "../../../schema/index.ts";
import type { ProgressNotification } from "./call-progress.ts";
import { type ClientRequestOptions, type ClientLink, notificationsFor } from "./client-link.ts";
import type { ClientCapabilities, InputRequest, ServerContext, InputRequiredResult, ServerSdk } from "./sdk.ts";
import { type Clock, type Timer, canonicalJson, nodeCrypto } from "../../../base/index.ts";

/** State of a dialogue: finished, or waiting for answers. */
type DialogueState<Result> =
  | { readonly kind: "done"; readonly result: Result }
  | { readonly kind: "input_required"; readonly requests: Readonly<Record<string, InputRequest>> };

/**
 * Work for a client of protocol version 2026, which never receives requests: if the work needs input, the client's own
 * request ends with input requests, and another request brings the answers. In the meantime the work is suspended here,
 * so that nothing is done twice.
 */
class Dialogue<Result> implements ClientLink {
  readonly capabilities: ClientCapabilities | undefined;
  readonly #early: Readonly<Record<string, unknown>>;
  readonly #pending = new Map<
    string,
    { readonly request: InputRequest; readonly answer: (response: unknown) => void }
  >();
  readonly #keys = new Map<string, number>();
  readonly #stop = new AbortController();
  /** The request in flight; none while the client collects answers. */
  #attached: ServerContext["mcpReq"] | undefined;
  #ended: (() => Result) | undefined;
  /** Input requests that others may still join. */
  #fresh = 0;
  #changed = Promise.withResolvers<void>();
  readonly #notifications = notificationsFor(() => this.#attached);

  constructor(capabilities: ClientCapabilities | undefined, early: Readonly<Record<string, unknown>> = {}) {
    this.capabilities = capabilities;
    this.#early = early;
  }

  /** Begins the work, for this request. */
  begin(request: ServerContext["mcpReq"], work: (link: ClientLink, signal: AbortSignal) => Promise<Result>): void {
    this.#attached = request;
    work(this, this.#stop.signal).then(
      (result) => this.#end(() => result),
      (error: unknown) => this.refuse(error),
    );
  }

  /**
   * Waits until the work is finished or needs input, and sends progress to this request. Throws what the work throws.
   */
  async turn(request: ServerContext["mcpReq"]): Promise<DialogueState<Result>> {
    this.#attached = request;
    const stop = (): void => this.abort();
    request.signal.addEventListener("abort", stop, { once: true });
    if (request.signal.aborted) stop();
    try {
      this.#answer(request.inputResponses ?? {});
      while (this.#ended === undefined && !this.#isRequesting) await this.#changed.promise;
      if (this.#ended !== undefined) return { kind: "done", result: this.#ended() };
      return {
        kind: "input_required",
        requests: Object.fromEntries([...this.#pending].map(([key, each]) => [key, each.request])),
      };
    } finally {
      request.signal.removeEventListener("abort", stop);
      if (this.#attached === request) this.#attached = undefined;
    }
  }

  /** Aborts the work: no request waits for it any more. */
  abort(): void {
    this.#stop.abort();
    for (const { answer } of this.#pending.values()) answer(undefined);
    this.#pending.clear();
  }

  /** Ends it with a protocol error, regardless of the outcome of the work. */
  refuse(error: unknown): void {
    this.#end(() => {
      throw error;
    });
  }

  request(request: InputRequest, { key, early = false, signal }: ClientRequestOptions): Promise<unknown> {
    const known = early && Object.hasOwn(this.#early, key) ? this.#early[key] : undefined;
    if (isRecord(known)) return Promise.resolve(known);
    if (this.#stop.signal.aborted || signal?.aborted === true) return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const own = this.#ownKey(key);
    const withdraw = (): void => {
      if (this.#pending.delete(own)) resolve(undefined);
    };
    signal?.addEventListener("abort", withdraw, { once: true });
    this.#pending.set(own, { request, answer: resolve });
    // Deferred, so that concurrent input requests are sent together.
    this.#fresh++;
    setImmediate(() => {
      this.#fresh--;
      this.#wake();
    });
    return promise.finally(() => signal?.removeEventListener("abort", withdraw));
  }

  /** The request that continues the work may want progress even if the first one did not. */
  get wantsProgress(): boolean {
    return true;
  }

  progress(progress: ProgressNotification): void {
    this.#notifications.progress(progress);
  }

  log(...entry: Parameters<ClientLink["log"]>): void {
    this.#notifications.log(...entry);
  }

  get #isRequesting(): boolean {
    return this.#pending.size > 0 && this.#fresh === 0;
  }

  /** Unexpected answers are ignored; missing ones are requested again in the next round. */
  #answer(responses: Readonly<Record<string, unknown>>): void {
    for (const [key, { answer }] of this.#pending) {
      const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
      if (!isRecord(response)) continue;
      this.#pending.delete(key);
      answer(response);
    }
  }

  /** An answer belongs to one request: no key is used twice. */
  #ownKey(key: string): string {
    const used = this.#keys.get(key) ?? 0;
    this.#keys.set(key, used + 1);
    return used === 0 ? key : `${key}_${used + 1}`;
  }

  #end(ended: () => Result): void {
    this.#ended ??= ended;
    this.#pending.clear();
    this.#wake();
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}

/** Options of {@link PendingDialogues}. */
interface PendingDialoguesDeps {
  readonly sdk: Pick<ServerSdk, "ProtocolError" | "ProtocolErrorCode">;
  readonly clock: Clock;
  /** Maximum number of dialogues that wait for answers; a new one evicts the oldest. */
  readonly maxDialogues?: number;
  /** Time after which the work of a client that does not return is aborted. */
  readonly ttlMs?: number;
}

/** A request that may take several rounds. */
export interface Rounds<Result> {
  readonly context: ServerContext;
  readonly capabilities: ClientCapabilities | undefined;
  /** Identifies the request: another round must repeat the same one. */
  readonly subject: readonly unknown[];
  readonly work: (link: ClientLink, signal: AbortSignal) => Promise<Result>;
}

interface Held {
  readonly dialogue: Dialogue<unknown>;
  readonly subject: string;
  timer: Timer | undefined;
}

/** Work that waits for answers of clients, identified by an unguessable state token. */
export class PendingDialogues {
  readonly #parts: PendingDialoguesDeps;
  readonly #held = new Map<string, Held>();

  constructor(parts: PendingDialoguesDeps) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#held.size;
  }

  /** One round: starts the work or passes answers to it, and runs it until it ends or needs more input. */
  async round<Result>(rounds: Rounds<Result>): Promise<Result | InputRequiredResult> {
    const { mcpReq } = rounds.context;
    const state = mcpReq.requestState();
    const held = state === undefined ? this.#begin(rounds) : this.#take(state, rounds);
    // Prevents the timeout of the dialogue while a request continues it.
    held.timer?.cancel();
    const turn = await held.dialogue.turn(mcpReq);
    // Work that was started with this subject returns this type of result.
    if (turn.kind === "done") return turn.result as Result;
    return { resultType: "input_required", inputRequests: { ...turn.requests }, requestState: this.#store(held) };
  }

  /** Aborts all waiting work. */
  close(): void {
    for (const state of this.#held.keys()) this.#giveUp(state);
  }

  #begin<Result>({ capabilities, subject, work, context }: Rounds<Result>): Held {
    const dialogue = new Dialogue<Result>(capabilities, context.mcpReq.inputResponses);
    dialogue.begin(context.mcpReq, work);
    return { dialogue, subject: digest(subject), timer: undefined };
  }

  /** A state is valid for one round: the next one gets another. */
  #take(state: unknown, { subject }: Pick<Rounds<unknown>, "subject">): Held {
    const held = typeof state === "string" ? this.#held.get(state) : undefined;
    if (held === undefined || held.subject !== digest(subject)) {
      const { ProtocolError, ProtocolErrorCode } = this.#parts.sdk;
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        "Invalid or expired requestState; start the request again",
        {
          reason: "invalid_request_state",
        },
      );
    }
    this.#held.delete(String(state));
    return held;
  }

  #store(held: Held): string {
    const { clock, maxDialogues = 100, ttlMs = 600_000 } = this.#parts;
    const [oldest] = this.#held.keys();
    if (oldest !== undefined && this.#held.size >= maxDialogues) this.#giveUp(oldest);
    const state = nodeCrypto().randomBytes(24).toString("base64url");
    held.timer = clock.after(ttlMs, () => this.#giveUp(state));
    held.timer.hold(false);
    this.#held.set(state, held);
    return state;
  }

  #giveUp(state: string): void {
    const held = this.#held.get(state);
    this.#held.delete(state);
    held?.timer?.cancel();
    held?.dialogue.abort();
  }
}

function digest(subject: readonly unknown[]): string {
  return nodeCrypto().createHash("sha256").update(canonicalJson(subject)).digest("base64url");
}
