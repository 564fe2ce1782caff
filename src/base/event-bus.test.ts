import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { settle } from "../../test/support/fake-clock.ts";
import { unhandledRejections } from "../../test/support/unhandled-rejections.ts";
import { EventBus } from "./event-bus.ts";

interface Event {
  readonly type: "a" | "b";
  readonly n: number;
}

function bus() {
  const errors: unknown[] = [];
  return { bus: new EventBus<Event>((error) => errors.push(error)), errors };
}

const a = (n: number): Event => ({ type: "a", n });
const b = (n: number): Event => ({ type: "b", n });

describe("subscribing", () => {
  test("a listener receives every type, or those it subscribed to", () => {
    const { bus: events } = bus();
    const all: Event[] = [];
    const some: Event[] = [];
    events.subscribe((event) => all.push(event));
    events.subscribe((event) => some.push(event), ["b"]);
    events.emit(a(1));
    events.emit(b(2));
    expect(all).toEqual([a(1), b(2)]);
    expect(some).toEqual([b(2)]);
  });

  test("hasListener returns whether a type has a listener", () => {
    const { bus: events } = bus();
    expect(events.hasListener("a")).toBe(false);
    const stop = events.subscribe(() => {}, ["a"]);
    expect([events.hasListener("a"), events.hasListener("b")]).toEqual([true, false]);
    stop();
    expect(events.hasListener("a")).toBe(false);
    events.subscribe(() => {});
    expect(events.hasListener("b")).toBe(true);
  });

  test("unsubscribing is idempotent, also if the same function is subscribed twice", () => {
    const { bus: events } = bus();
    let heard = 0;
    const listener = (): unknown => heard++;
    const stop = events.subscribe(listener);
    events.subscribe(listener);
    stop();
    stop();
    events.emit(a(1));
    expect(heard).toBe(1);
  });

  test("listeners may be added and removed during a delivery; the next event sees the change", () => {
    const { bus: events } = bus();
    const heard: string[] = [];
    const stops: (() => void)[] = [];
    events.subscribe(({ n }) => {
      heard.push(`first ${n}`);
      for (const stop of stops.splice(0)) stop();
      if (n === 1) events.subscribe((event) => heard.push(`late ${event.n}`));
    });
    stops.push(events.subscribe(({ n }) => heard.push(`second ${n}`)));
    events.emit(a(1));
    events.emit(a(2));
    expect(heard).toEqual(["first 1", "second 1", "first 2", "late 2"]);
  });

  test("an event emitted by a listener follows the one that caused it, for all listeners", () => {
    const { bus: events } = bus();
    const heard: number[] = [];
    events.subscribe(({ n }) => {
      if (n < 3) events.emit(a(n + 1));
    });
    events.subscribe(({ n }) => heard.push(n));
    events.emit(a(1));
    expect(heard).toEqual([1, 2, 3]);
    events.emit(a(9));
    expect(heard).toEqual([1, 2, 3, 9]);
  });
});

describe("listeners that fail", () => {
  test("one that throws is reported, and the others receive the event", () => {
    const { bus: events, errors } = bus();
    const heard: number[] = [];
    events.subscribe(() => {
      throw new Error("broken");
    });
    events.subscribe(({ n }) => heard.push(n));
    events.emit(a(1));
    events.emit(a(2));
    expect(heard).toEqual([1, 2]);
    expect(errors.map(String)).toEqual(["Error: broken", "Error: broken"]);
  });

  test("one whose promise rejects is reported, without an unhandled rejection", async () => {
    const { bus: events, errors } = bus();
    const unhandled = unhandledRejections();
    events.subscribe(async () => {
      await settle();
      throw new Error("late");
    });
    events.emit(a(1));
    await settle();
    await settle();
    expect(errors.map(String)).toEqual(["Error: late"]);
    expect(unhandled.stop()).toEqual([]);
  });

  test("one that never settles does not delay the others", () => {
    const { bus: events } = bus();
    const heard: number[] = [];
    events.subscribe(() => new Promise(() => {}));
    events.subscribe(({ n }) => heard.push(n));
    for (let n = 0; n < 100; n++) events.emit(a(n));
    expect(heard.length).toBe(100);
  });

  test("a throwing error reporter breaks nothing", async () => {
    const events = new EventBus<Event>(() => {
      throw new Error("reporter");
    });
    const unhandled = unhandledRejections();
    let heard = 0;
    events.subscribe(() => {
      throw new Error("sync");
    });
    events.subscribe(() => Promise.reject(new Error("async")));
    events.subscribe(() => heard++);
    events.emit(a(1));
    await settle();
    expect(heard).toBe(1);
    expect(unhandled.stop()).toEqual([]);
  });
});

describe("streams", () => {
  test("yields the events from now on, in order, of the subscribed types", async () => {
    const { bus: events } = bus();
    events.emit(a(0));
    const stream = events.stream({ types: ["a"] });
    for (const event of [a(1), b(2), a(3)]) events.emit(event);
    expect(await stream.next()).toEqual({ done: false, value: a(1) });
    expect(await stream.next()).toEqual({ done: false, value: a(3) });
  });

  test("several waiting readers are served in order of arrival", async () => {
    const { bus: events } = bus();
    const stream = events.stream();
    const reading = [stream.next(), stream.next()];
    events.emit(a(1));
    events.emit(a(2));
    expect((await Promise.all(reading)).map(({ value }) => value as Event)).toEqual([a(1), a(2)]);
  });

  test("a slow reader misses the oldest events, and gets the number it missed", async () => {
    const { bus: events } = bus();
    const stream = events.stream({ capacity: 3 });
    for (let n = 0; n < 10; n++) events.emit(a(n));
    expect(stream.dropped).toBe(7);
    const seen = [await stream.next(), await stream.next(), await stream.next()];
    expect(seen.map(({ value }) => (value as Event).n)).toEqual([7, 8, 9]);
  });

  test("a stream buffers a thousand events by default", () => {
    const { bus: events } = bus();
    const stream = events.stream();
    for (let n = 0; n < 1001; n++) events.emit(a(n));
    expect(stream.dropped).toBe(1);
  });

  test("without capacity a reader receives only events that it waits for", async () => {
    const { bus: events } = bus();
    const stream = events.stream({ capacity: 0 });
    events.emit(a(1));
    const next = stream.next();
    events.emit(a(2));
    expect((await next).value).toEqual(a(2));
    expect(stream.dropped).toBe(1);
  });

  test("leaving the loop unsubscribes and drops buffered events", async () => {
    const { bus: events } = bus();
    const stream = events.stream();
    events.emit(a(1));
    events.emit(a(2));
    for await (const event of stream) {
      expect(event).toEqual(a(1));
      break;
    }
    expect(events.hasListener("a")).toBe(false);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  test("a signal ends the stream after the buffered events", async () => {
    const { bus: events } = bus();
    const controller = new AbortController();
    const stream = events.stream({ signal: controller.signal });
    events.emit(a(1));
    controller.abort();
    events.emit(a(2));
    const seen: Event[] = [];
    for await (const event of stream) seen.push(event);
    expect(seen).toEqual([a(1)]);
    expect(events.hasListener("a")).toBe(false);
  });

  test("a signal ends a waiting reader, and a stream with an aborted signal yields nothing", async () => {
    const { bus: events } = bus();
    const controller = new AbortController();
    const waiting = events.stream({ signal: controller.signal }).next();
    controller.abort();
    expect((await waiting).done).toBe(true);
    expect((await events.stream({ signal: controller.signal }).next()).done).toBe(true);
    expect(events.hasListener("a")).toBe(false);
  });

  test("an ended stream leaves nothing behind on a long-lived signal", async () => {
    const { bus: events } = bus();
    const { signal } = new AbortController();
    for (let n = 0; n < 20; n++) await events.stream({ signal }).return?.();
    expect(getEventListeners(signal, "abort").length).toBe(0);
  });
});
