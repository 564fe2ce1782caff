import type { JSONRPCMessage } from "@modelcontextprotocol/client";

/**
 * Tracks the requests that wait for a response. Responses without a waiting request, and their progress notifications,
 * are dropped before they are parsed further.
 */
export class OpenRequests {
  readonly #ids = new Set<string | number>();

  get size(): number {
    return this.#ids.size;
  }

  ids(): readonly (string | number)[] {
    return [...this.#ids];
  }

  /** Records a sent message: a request starts to wait, and a cancelled one stops. */
  sent(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    if ("id" in message) this.#ids.add(message.id);
    const cancelled = message.method === "notifications/cancelled" ? message.params?.["requestId"] : undefined;
    if (typeof cancelled === "string" || typeof cancelled === "number") this.drop(cancelled);
  }

  /** True if this message belongs to a waiting request, or needs none. */
  isAwaited(message: JSONRPCMessage): boolean {
    if ("method" in message) {
      if (message.method !== "notifications/progress") return true;
      return this.#knows(message.params?.["progressToken"]);
    }
    return this.#knows(message.id);
  }

  received(message: JSONRPCMessage): void {
    if (!("method" in message) && message.id !== undefined) this.drop(message.id);
  }

  /** Stops waiting for this request. */
  drop(id: string | number): void {
    this.#ids.delete(id);
    this.#ids.delete(Number(id));
  }

  /** Some servers return numeric ids as strings. */
  #knows(id: unknown): boolean {
    if (typeof id === "number") return this.#ids.has(id);
    return typeof id === "string" && (this.#ids.has(id) || this.#ids.has(Number(id)));
  }
}
