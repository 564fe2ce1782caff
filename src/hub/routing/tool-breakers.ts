import type { Failure } from "../../base/index.ts";
import type { AnyTool, Registration } from "../../tool/index.ts";
import type { HubLimits } from "./hub-limits.ts";

interface State {
  failures: number;
  rests: number;
  /** By the clock's elapsed time. */
  until: number;
  probing: boolean;
  /** The last that failed. */
  call: string;
}

type Limits = Pick<HubLimits, "failures" | "restMs" | "longestRestMs">;

/**
 * Tools that failed several times in a row, by their own fault, and are passed over for a while where another can do
 * the work. After the rest, one call finds out whether it is over. A tool that was loaded anew begins anew.
 */
export class ToolBreakers {
  readonly #limits: Limits;
  readonly #states = new WeakMap<AnyTool, State>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** How long a tool still rests: 0 where it may be called, also to find out whether it works again. */
  restMs(tool: AnyTool, now: number): number {
    const state = this.#states.get(tool);
    if (state === undefined || state.rests === 0) return 0;
    if (state.until > now) return state.until - now;
    return state.probing ? this.#limits.restMs : 0;
  }

  /** A call of the tool begins. */
  enter(tool: AnyTool): void {
    const state = this.#states.get(tool);
    if (state !== undefined && state.rests > 0) state.probing = true;
  }

  succeeded(tool: AnyTool): void {
    this.#states.delete(tool);
  }

  /** A call failed. Several attempts of one call, which has this id, count as one. */
  failed({ tool, source }: Registration, failed: Failure, { call, now }: { call: string; now: number }): void {
    if (!isOwnFault(failed, source)) {
      this.left(tool);
      return;
    }
    const { failures, restMs, longestRestMs } = this.#limits;
    const state = this.#states.get(tool) ?? { failures: 0, rests: 0, until: 0, probing: false, call: "" };
    this.#states.set(tool, state);
    const isProbe = state.rests > 0 && state.until <= now;
    state.probing = false;
    if (state.call === call) return;
    state.call = call;
    state.failures++;
    if (!isProbe && state.failures < failures) return;
    state.failures = 0;
    state.until = now + Math.min(longestRestMs, restMs * 2 ** state.rests);
    state.rests = Math.min(state.rests + 1, 16);
  }

  /** A call ended that told nothing about the tool. */
  left(tool: AnyTool): void {
    const state = this.#states.get(tool);
    if (state !== undefined) state.probing = false;
  }
}

/**
 * Whether a failure counts against the tool. One that would come again with the same arguments is about the arguments;
 * what keeps a server from being reached is the server's, which has a breaker of its own.
 */
function isOwnFault({ code, reason, retry }: Failure, source: string): boolean {
  switch (code) {
    case "cancelled":
      // Told to stop, it did not.
      return reason === "abandoned";
    case "timeout":
    case "output_invalid":
      return true;
    case "execution_error":
      return retry !== "never";
    case "not_available":
      return source !== "mcps" && retry === "safe";
    default:
      return false;
  }
}
