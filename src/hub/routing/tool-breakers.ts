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

type Limits = Pick<HubLimits, "failureThreshold" | "coolDownMs" | "maxCoolDownMs">;

/**
 * Circuit breakers of tools: a tool with several consecutive failures of its own is skipped for a cool-down if another
 * can do the work. After the cool-down, one probe call decides. A reloaded tool starts fresh.
 */
export class ToolBreakers {
  readonly #limits: Limits;
  readonly #states = new WeakMap<AnyTool, State>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Remaining cool-down of a tool: 0 if it may be called, also for a probe. */
  coolDownMs(tool: AnyTool, now: number): number {
    const state = this.#states.get(tool);
    if (state === undefined || state.rests === 0) return 0;
    if (state.until > now) return state.until - now;
    return state.probing ? this.#limits.coolDownMs : 0;
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
    if (!countsAgainstTool(failed, source)) {
      this.ignored(tool);
      return;
    }
    const { failureThreshold, coolDownMs, maxCoolDownMs } = this.#limits;
    const state = this.#states.get(tool) ?? { failures: 0, rests: 0, until: 0, probing: false, call: "" };
    this.#states.set(tool, state);
    const isProbe = state.rests > 0 && state.until <= now;
    state.probing = false;
    if (state.call === call) return;
    state.call = call;
    state.failures++;
    if (!isProbe && state.failures < failureThreshold) return;
    state.failures = 0;
    state.until = now + Math.min(maxCoolDownMs, coolDownMs * 2 ** state.rests);
    state.rests = Math.min(state.rests + 1, 16);
  }

  /** A call ended without evidence for or against the tool. */
  ignored(tool: AnyTool): void {
    const state = this.#states.get(tool);
    if (state !== undefined) state.probing = false;
  }
}

/**
 * True if a failure counts against the tool. A failure that would recur with the same arguments is about the arguments;
 * an unreachable server has its own breaker.
 */
function countsAgainstTool({ code, reason, retry }: Failure, source: string): boolean {
  switch (code) {
    case "cancelled":
      // The handler did not stop when it was aborted.
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
