import { LinkedList } from "../base/index.ts";
import type { Ticket } from "./ticket.ts";

interface Level {
  readonly priority: number;
  readonly tickets: LinkedList<Ticket>;
}

/** Waiting tickets: higher priority first, first come first served among equals. */
export class WaitQueue {
  /** Highest priority first; no level is empty. */
  readonly #levels: Level[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get head(): Ticket | undefined {
    return this.#levels[0]?.tickets.first;
  }

  push(ticket: Ticket): void {
    const at = this.#levels.findIndex((level) => level.priority <= ticket.priority);
    let level = this.#levels[at];
    if (level?.priority !== ticket.priority) {
      level = { priority: ticket.priority, tickets: new LinkedList<Ticket>() };
      this.#levels.splice(at === -1 ? this.#levels.length : at, 0, level);
    }
    level.tickets.append(ticket);
    this.#size++;
  }

  remove(ticket: Ticket): void {
    const at = this.#levels.findIndex((level) => level.priority === ticket.priority);
    const level = this.#levels[at];
    if (!ticket.linked || level === undefined) return;
    level.tickets.remove(ticket);
    this.#size--;
    if (level.tickets.size === 0) this.#levels.splice(at, 1);
  }
}
