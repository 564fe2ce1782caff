import { CircuitBreaker, type CircuitBreakerLimits, type Failure } from "../../base/index.ts";
import type { AnyTool, Registration } from "../../tool/index.ts";

/**
 * Circuit breakers of tools: a tool with several consecutive failures of its own is skipped for a cool-down if another
 * can do the work. A reloaded tool starts fresh.
 */
export class ToolBreakers {
  readonly #limits: CircuitBreakerLimits;
  readonly #breakers = new WeakMap<AnyTool, CircuitBreaker>();

  constructor(limits: CircuitBreakerLimits) {
    this.#limits = limits;
  }

  /** Remaining cool-down of a tool: 0 if it may be called, also for a probe. */
  coolDownMs(tool: AnyTool, now: number): number {
    return this.#breakers.get(tool)?.coolDownMs(now) ?? 0;
  }

  /** A call of the tool begins. */
  enter(tool: AnyTool): void {
    this.#breakers.get(tool)?.enter();
  }

  succeeded(tool: AnyTool): void {
    this.#breakers.delete(tool);
  }

  /** A call failed. Several attempts of one call, which has this id, count as one. */
  failed({ tool, source }: Registration, failure: Failure, { call, now }: { call: string; now: number }): void {
    const breaker = this.#breakers.get(tool) ?? new CircuitBreaker(this.#limits);
    this.#breakers.set(tool, breaker);
    if (countsAgainstTool(failure, source)) breaker.failed(now, { call });
    else breaker.ignored();
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
