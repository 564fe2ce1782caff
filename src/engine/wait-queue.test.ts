import * as fc from "fast-check";
import { expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { Deadlines } from "../base/index.ts";
import { Scheduler } from "./scheduler.ts";
import { Ticket } from "./admission-ticket.ts";
import { WaitQueue } from "./bucket.ts";

const clock = new FakeClock();
const bucket = new Scheduler({}, clock, new Deadlines(clock)).bucket("a");

function ticket(priority: number): Ticket {
  const owner = { category: "a", priority, global: true, slot: true, admitted: () => {}, refused: () => {} };
  return new Ticket(owner, bucket, priority);
}

test("for any sequence of pushes and removals, the head is the oldest ticket of the highest priority", () => {
  const step = fc.oneof(
    fc.integer({ min: -3, max: 3 }).map((push) => ({ push })),
    fc.nat(20).map((remove) => ({ remove })),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new WaitQueue();
      const all: Ticket[] = [];
      let model: Ticket[] = [];
      for (const what of steps) {
        if ("push" in what) {
          const pushed = ticket(what.push);
          all.push(pushed);
          model.push(pushed);
          queue.push(pushed);
        } else if (all[what.remove]) {
          const removed = all[what.remove]!;
          model = model.filter((other) => other !== removed);
          queue.remove(removed);
        }
        const best = model.toSorted((a, b) => b.priority - a.priority)[0];
        expect(queue.head === best).toBe(true);
        expect(queue.size).toBe(model.length);
      }
    }),
    { seed: 17, numRuns: 200 },
  );
});
