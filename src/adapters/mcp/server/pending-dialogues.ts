import { type Clock, type Timer, canonicalJson, nodeCrypto } from "../../../base/index.ts";
import type { ClientLink } from "./client-link.ts";
import { Dialogue } from "./dialogue.ts";
import type { ClientCapabilities, InputRequiredResult, ServerContext, ServerSdk } from "./sdk.ts";

/** Options of {@link PendingDialogues}. */
export interface PendingDialoguesDeps {
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
