import type { JSONRPCMessage } from "@modelcontextprotocol/client";

/**
 * Which requests wait for an answer. Answers that nobody waits for, and news of them, are dropped here, before anybody
 * looks into them.
 */
export class OpenRequests {
  readonly #ids = new Set<string | number>();

  get size(): number {
    return this.#ids.size;
  }

  ids(): readonly (string | number)[] {
    return [...this.#ids];
  }

  /** A message goes out: a request begins to wait, and a cancelled one ceases to. */
  sent(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    if ("id" in message) this.#ids.add(message.id);
    const cancelled = message.method === "notifications/cancelled" ? message.params?.["requestId"] : undefined;
    if (typeof cancelled === "string" || typeof cancelled === "number") this.drop(cancelled);
  }

  /** Does this message go to somebody who waits, or is it one that needs nobody to? */
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

  /** Nobody waits for this one any more. */
  drop(id: string | number): void {
    this.#ids.delete(id);
    this.#ids.delete(Number(id));
  }

  /** Some servers give numbers back as texts. */
  #knows(id: unknown): boolean {
    if (typeof id === "number") return this.#ids.has(id);
    return typeof id === "string" && (this.#ids.has(id) || this.#ids.has(Number(id)));
  }
}
