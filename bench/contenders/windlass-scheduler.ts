import type { AdmissionRequest, Ticket } from "../../src/engine/admission-ticket.ts";
import type { LimitContender } from "../contender.ts";
import { loadScheduler } from "../subject.ts";

/** Tickets of the engine's scheduler: queue limit, queue timeout, bucket, priority and metrics for every task. */
export async function create(): Promise<LimitContender> {
  const scheduler = await loadScheduler({ maxConcurrent: 10, queueSize: 10_000 });
  const hold = async (task: () => Promise<void>, ticket: Ticket): Promise<void> => {
    try {
      await task();
    } finally {
      scheduler.endTicket(ticket);
    }
  };
  return {
    limited(task) {
      const owner = new Owner();
      const ticket = scheduler.enter(owner);
      if (ticket.state === "held") return hold(task, ticket);
      return new Promise<void>((resolve) => (owner.wake = resolve)).then(() => hold(task, ticket));
    },
  };
}

class Owner implements AdmissionRequest {
  wake: (() => void) | undefined = undefined;

  get category(): string {
    return "general";
  }

  get priority(): number {
    return 0;
  }

  get global(): boolean {
    return true;
  }

  get slot(): boolean {
    return true;
  }

  admitted(): void {
    this.wake?.();
  }

  refused(): void {
    throw new Error("the queue is as long as the work: nothing is refused");
  }
}
