import { expect, test } from "vitest";
import type { JournalEvent } from "../store/index.ts";
import { eventsBefore, undoneSteps } from "./rerun-events.ts";

const call = (key: string, success = true, effect: string | null = "once"): Omit<JournalEvent, "seq"> => ({
  kind: "settled",
  key,
  at: 1,
  data: { kind: "call", result: { success }, ...(effect !== null && { effect }) },
});
const other = (key: string, kind: string): Omit<JournalEvent, "seq"> => ({ ...call(key), data: { kind } });
const journal = (...events: readonly Omit<JournalEvent, "seq">[]): JournalEvent[] =>
  events.map((event, index) => ({ ...event, seq: index + 1 }));
const undone = (...events: readonly Omit<JournalEvent, "seq">[]): string[] => [...undoneSteps(journal(...events))];

test("a step is undone when undoing it was tried, whatever came of it, and not when it was refused", () => {
  expect(undone(call("a#1"), call("b#1", false), call("a^#1"))).toEqual(["a"]);
  expect(undone(call("a#1"), call("a^#1", false, "idempotent"))).toEqual(["a"]);
  expect(undone(call("a#1"), { ...call("a^#1"), kind: "started" })).toEqual(["a"]);
  expect(undone(call("a#1"), other("a^#1", "interrupted"))).toEqual(["a"]);
  expect(undone(call("a#1"), call("a^#1", false, null), other("a^#1?", "decided"))).toEqual([]);
  expect(undone(call("a#1"))).toEqual([]);
});

test("what was undone inside of a sub-chain is told of the step that calls it; and what a late event says is no matter", () => {
  expect(undone(call("付款[0]#1/x#1"), call("付款[0]#1/x^#1"), other("!cancel", "cancel"), call("b^#1"))).toEqual([
    "付款",
    "b",
  ]);
});

test("what a sub-chain undid before it was tried again is part of its work", () => {
  const events = journal(call("s#1/x#1"), call("s#1/x^#1"), call("s#2/x#1"), call("t#1"), call("u^#1"), call("t^#1"));
  expect([...undoneSteps(events)]).toEqual(["u", "t"]);
  const kept = eventsBefore({ chain: "c", again: [], kept: ["s", "t"] }, events);
  expect(kept.map(({ seq, key }) => `${seq} ${key}`)).toEqual(["1 s#1/x#1", "2 s#1/x^#1", "3 s#2/x#1", "4 t#1"]);
});
