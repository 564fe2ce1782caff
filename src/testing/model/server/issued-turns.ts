import { createHash } from "node:crypto";
import type { WireTurn } from "./wire-turn.ts";

/** What a server has said, as far as an API can tell whether it comes back unchanged. */
export class Issued {
  readonly #byCall = new Map<string, WireTurn>();
  readonly #bySignature = new Map<string, string>();
  #signed = 0;

  /** A signature that nobody else makes; the same in every run of a test. */
  sign(text: string): string {
    const stamp = `${++this.#signed}:${text}`;
    return createHash("sha256").update(stamp).digest("base64");
  }

  /** Remembers an answer. */
  add(turn: WireTurn): void {
    if (turn.signature !== undefined) this.#bySignature.set(turn.signature, turn.thinking ?? "");
    for (const call of turn.calls) {
      this.#byCall.set(call.id, turn);
      if (call.signature !== undefined) this.#bySignature.set(call.signature, call.argumentsText);
    }
  }

  /** The answer in which this call was made; undefined for one that came from elsewhere. */
  turnOf(callId: string): WireTurn | undefined {
    return this.#byCall.get(callId);
  }

  /** What stands behind a signature; undefined for one that was not given here. */
  signedText(signature: string): string | undefined {
    return this.#bySignature.get(signature);
  }
}
