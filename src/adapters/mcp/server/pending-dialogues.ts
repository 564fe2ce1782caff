import { type Clock, type Timer, canonicalJson, nodeCrypto } from "../../../base/index.ts";
import type { ClientLink } from "./client-link.ts";
import { Dialogue } from "./dialogue.ts";
import type { ClientCapabilities, InputRequiredResult, ServerContext, ServerSdk } from "./sdk.ts";

/** What {@link HeldDialogues} needs. */
export interface HeldDialoguesParts {
  readonly sdk: Pick<ServerSdk, "ProtocolError" | "ProtocolErrorCode">;
  readonly clock: Clock;
  /** At most so many wait for answers; the oldest is given up for one more. */
  readonly most?: number;
  /** A client that does not come back for so long gets no answer any more. */
  readonly keepMs?: number;
}

/** A request that may take several rounds. */
export interface Rounds<Result> {
  readonly context: ServerContext;
  readonly capabilities: ClientCapabilities | undefined;
  /** What is asked for: another round has to ask for the same. */
  readonly subject: readonly unknown[];
  readonly work: (link: ClientLink, signal: AbortSignal) => Promise<Result>;
}

interface Held {
  readonly dialogue: Dialogue<unknown>;
  readonly subject: string;
  timer: Timer | undefined;
}

/** The work that waits for answers of clients, found again by a state that nobody can guess. */
export class HeldDialogues {
  readonly #parts: HeldDialoguesParts;
  readonly #held = new Map<string, Held>();

  constructor(parts: HeldDialoguesParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#held.size;
  }

  /** One round: begins the work, or brings it answers, and goes on until it is over or asks again. */
  async round<Result>(rounds: Rounds<Result>): Promise<Result | InputRequiredResult> {
    const { mcpReq } = rounds.context;
    const state = mcpReq.requestState();
    const held = state === undefined ? this.#begin(rounds) : this.#take(state, rounds);
    // Whoever takes it up keeps it from being given up.
    held.timer?.cancel();
    const turn = await held.dialogue.turn(mcpReq);
    // The work that was begun with this subject gives this kind of result.
    if (turn.kind === "done") return turn.result as Result;
    return { resultType: "input_required", inputRequests: { ...turn.requests }, requestState: this.#keep(held) };
  }

  /** Gives up everything that waits. */
  close(): void {
    for (const state of this.#held.keys()) this.#giveUp(state);
  }

  #begin<Result>({ capabilities, subject, work, context }: Rounds<Result>): Held {
    const dialogue = new Dialogue<Result>(capabilities, context.mcpReq.inputResponses);
    dialogue.begin(context.mcpReq, work);
    return { dialogue, subject: digest(subject), timer: undefined };
  }

  /** A state is good for one round: the next one gets another. */
  #take(state: unknown, { subject }: Pick<Rounds<unknown>, "subject">): Held {
    const held = typeof state === "string" ? this.#held.get(state) : undefined;
    if (held === undefined || held.subject !== digest(subject)) {
      const { ProtocolError, ProtocolErrorCode } = this.#parts.sdk;
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        "Invalid or expired requestState; make the request anew",
        {
          reason: "invalid_request_state",
        },
      );
    }
    this.#held.delete(String(state));
    return held;
  }

  #keep(held: Held): string {
    const { clock, most = 100, keepMs = 600_000 } = this.#parts;
    const [oldest] = this.#held.keys();
    if (oldest !== undefined && this.#held.size >= most) this.#giveUp(oldest);
    const state = nodeCrypto().randomBytes(24).toString("base64url");
    held.timer = clock.after(keepMs, () => this.#giveUp(state));
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
