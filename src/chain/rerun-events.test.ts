import { expect, test } from "vitest";
import type { JournalEvent } from "../store/index.ts";
import { reusableEvents, compensatedSteps } from "./chain-runs.ts";

const call = (key: string, success = true, effect: string | null = "once"): Omit<JournalEvent, "seq"> => ({
  kind: "settled",
  key,
  at: 1,
  data: { kind: "call", result: { success }, ...(effect !== null && { effect }) },
});
const other = (key: string, kind: string): Omit<JournalEvent, "seq"> => ({ ...call(key), data: { kind } });
const journal = (...events: readonly Omit<JournalEvent, "seq">[]): JournalEvent[] =>
  events.map((event, index) => ({ ...event, seq: index + 1 }));
const undone = (...events: readonly Omit<JournalEvent, "seq">[]): string[] => [...compensatedSteps(journal(...events))];

test("a step counts as undone if its compensation was called, with any outcome, and not if it was denied", () => {
  expect(undone(call("a#1"), call("b#1", false), call("a^#1"))).toEqual(["a"]);
  expect(undone(call("a#1"), call("a^#1", false, "idempotent"))).toEqual(["a"]);
  expect(undone(call("a#1"), { ...call("a^#1"), kind: "started" })).toEqual(["a"]);
  expect(undone(call("a#1"), other("a^#1", "interrupted"))).toEqual(["a"]);
  expect(undone(call("a#1"), call("a^#1", false, null), other("a^#1?", "decided"))).toEqual([]);
  expect(undone(call("a#1"))).toEqual([]);
});

test("a compensation inside of a sub-chain counts for the step that calls it; late events do not matter", () => {
  expect(undone(call("付款[0]#1/x#1"), call("付款[0]#1/x^#1"), other("!cancel", "cancel"), call("b^#1"))).toEqual([
    "付款",
    "b",
  ]);
});

test("compensations of a sub-chain before its retry are part of its work", () => {
  const events = journal(call("s#1/x#1"), call("s#1/x^#1"), call("s#2/x#1"), call("t#1"), call("u^#1"), call("t^#1"));
  expect([...compensatedSteps(events)]).toEqual(["u", "t"]);
  const stored = reusableEvents({ chain: "c", rerun: [], reused: ["s", "t"] }, events);
  expect(stored.map(({ seq, key }) => `${seq} ${key}`)).toEqual(["1 s#1/x#1", "2 s#1/x^#1", "3 s#2/x#1", "4 t#1"]);
});
