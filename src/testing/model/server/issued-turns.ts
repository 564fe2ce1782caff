import { createHash } from "node:crypto";
import type { WireTurn } from "./wire-turn.ts";

/** Turns issued by a server, as far as an API can check whether they come back unchanged. */
export class IssuedTurns {
  readonly #byCall = new Map<string, WireTurn>();
  readonly #bySignature = new Map<string, string>();
  #signed = 0;

  /** A unique signature; the same in every run of a test. */
  sign(text: string): string {
    const stamp = `${++this.#signed}:${text}`;
    return createHash("sha256").update(stamp).digest("base64");
  }

  /** Records a turn. */
  add(turn: WireTurn): void {
    if (turn.signature !== undefined) this.#bySignature.set(turn.signature, turn.thinking ?? "");
    for (const call of turn.calls) {
      this.#byCall.set(call.id, turn);
      if (call.signature !== undefined) this.#bySignature.set(call.signature, call.argumentsText);
    }
  }

  /** The turn in which this call was made; undefined for a call from elsewhere. */
  turnOf(callId: string): WireTurn | undefined {
    return this.#byCall.get(callId);
  }

  /** The text behind a signature; undefined for a signature that was not issued here. */
  signedText(signature: string): string | undefined {
    return this.#bySignature.get(signature);
  }
}
