import { CircuitBreaker, type Clock, type FailureError, backoffMs, isFailureError } from "../../base/index.ts";
import { formatDuration } from "../../text/index.ts";
import type { McpSourceLimits } from "./mcp-source-limits.ts";
import { mcpSourceFailure } from "../hub-reasons.ts";

/** Dependencies of {@link ServerBreaker}. */
export interface ServerBreakerDeps {
  readonly server: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly limits: Pick<McpSourceLimits, "openAfter" | "firstRetryMs" | "lastRetryMs">;
}

/** The last thing that went wrong with a server. */
export interface LastFailure {
  readonly message: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Since when nothing has worked. */
  readonly since: number;
  /** Number of consecutive failures. */
  readonly times: number;
  /** Time of the next attempt; undefined if it may be made at any time. */
  readonly retryAt?: number;
}

/**
 * Circuit breaker: blocks calls to a server that does not work, for any reason except failures of its tools, which are
 * valid results. After the first failure the next attempt is immediate, then a little later; after several in a row
 * calls fail at once, and one probe call at a time decides whether the server works again.
 */
export class ServerBreaker {
  readonly #world: ServerBreakerDeps;
  readonly #breaker: CircuitBreaker;
  #failures = 0;
  #since = 0;
  #at = 0;
  #why = "";
  /** By the clock's elapsed time. */
  #notBefore = 0;
  #incident = 0;

  constructor(world: ServerBreakerDeps) {
    this.#world = world;
    const { openAfter, firstRetryMs, lastRetryMs } = world.limits;
    this.#breaker = new CircuitBreaker(
      { failureThreshold: openAfter, coolDownMs: firstRetryMs, maxCoolDownMs: lastRetryMs },
      world.random,
    );
  }

  /** Changes with every failure: work that began before it belongs to the same incident. */
  get incident(): number {
    return this.#incident;
  }

  get lastFailure(): LastFailure | undefined {
    if (this.#failures === 0) return undefined;
    const waitMs = this.waitMs;
    return {
      message: this.#why,
      at: this.#at,
      since: this.#since,
      times: this.#failures,
      ...(waitMs > 0 && { retryAt: this.#world.clock.now() + waitMs }),
    };
  }

  /** Remaining time before the next connection. */
  get waitMs(): number {
    return Math.max(0, Math.ceil(this.#notBefore - this.#world.clock.elapsed()));
  }

  get isOpen(): boolean {
    return this.#breaker.isOpen;
  }

  /** Lets a call through, or throws. The returned function must be called when the call is over, with any outcome. */
  enter(): () => void {
    if (!this.isOpen) return () => {};
    if (this.#breaker.coolDownMs(this.#world.clock.elapsed()) > 0) throw this.#refusal(this.waitMs);
    this.#breaker.enter();
    return () => this.#breaker.ignored();
  }

  succeeded(): void {
    this.#failures = 0;
    this.#notBefore = 0;
    this.#breaker.succeeded();
  }

  /** @param incident Value of {@link incident} when the failed work began. */
  failed(error: unknown, incident: number): void {
    if (incident !== this.#incident) return;
    const { clock } = this.#world;
    this.#incident++;
    this.#failures++;
    this.#at = clock.now();
    if (this.#failures === 1) this.#since = this.#at;
    this.#why = error instanceof Error ? error.message : String(error);
    this.#notBefore = clock.elapsed() + this.#pause(error);
  }

  /** Below the threshold a server may be connected to at once, and then after a short pause. */
  #pause(error: unknown): number {
    const { clock, limits, random } = this.#world;
    const { firstRetryMs, lastRetryMs, openAfter } = limits;
    const waitMs = isFailureError(error) ? Math.min(error.toFailure().retryAfterMs ?? 0, lastRetryMs) : 0;
    if (this.#failures >= openAfter) return this.#breaker.failed(clock.elapsed(), { waitMs });
    if (this.#failures === 1) return waitMs;
    return backoffMs(0, { firstMs: firstRetryMs / 4, maxMs: lastRetryMs, waitMs, random });
  }

  #refusal(waitMs: number): FailureError {
    const { server, clock } = this.#world;
    const ago = formatDuration(Math.max(0, clock.now() - this.#since));
    const again = waitMs > 0 ? `the next attempt is in ${formatDuration(waitMs)}` : "an attempt is in progress";
    const message =
      `the MCP server "${server}" has not worked for ${ago} (${this.#failures} failures in a row); ${again}. ` +
      `The last failure: ${this.#why}`;
    return mcpSourceFailure("server_down", message, {
      retryAfterMs: Math.max(waitMs, 100),
      forModel: `the MCP server "${server}" does not work at the moment; ${again}`,
    });
  }
}
