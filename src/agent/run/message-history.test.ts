import { describe, expect, test } from "vitest";
import type { Turn } from "../../store/index.ts";
import { markOutside } from "./holds-outside.ts";
import type { ConversationMessage } from "../message.ts";
import { type Said, afterTurns, clearingTurn, nothingSaid, writeTurn } from "./said.ts";

const user = (text: string): ConversationMessage => ({ role: "user", content: [{ type: "text", text }] });
const bot = (text: string): ConversationMessage => ({ role: "assistant", content: [{ type: "text", text }] });
const turn = (number: number, after: number, data: string): Turn => ({ number, after, at: 0, data });

/** What a run does that knows `said`: its turn in the journal. */
function run(
  said: Said,
  make: (before: readonly ConversationMessage[]) => ConversationMessage[],
  tainted = said.tainted,
) {
  return writeTurn({ ...said, messages: said.messages }, { messages: make(said.messages), tainted });
}

const first = afterTurns(nothingSaid, [
  turn(
    1,
    0,
    run(nothingSaid, () => [user("a".repeat(5000)), bot("A")]),
  ),
  turn(
    2,
    1,
    run({ ...nothingSaid, messages: [], turn: 1 }, () => [user("b"), bot("B")]),
  ),
]);

describe("a turn", () => {
  test("holds what it adds, and nothing of what was there", () => {
    const data = run(first, (before) => [...before, user("c"), bot("C")]);
    expect(JSON.parse(data)).toEqual({ added: [user("c"), bot("C")] });
    const after = afterTurns(first, [turn(3, 2, data)]);
    expect(after).toEqual({ ...first, messages: [...first.messages, user("c"), bot("C")], turn: 3 });
  });

  test("that clears an old message or puts a summary first holds only that", () => {
    const cleared = run(first, (before) => [before[0]!, bot("cleared"), before[2]!, before[3]!, user("c"), bot("C")]);
    expect(cleared.length).toBeLessThan(500);
    expect(afterTurns(first, [turn(3, 2, cleared)]).messages).toEqual([
      first.messages[0],
      bot("cleared"),
      user("b"),
      bot("B"),
      user("c"),
      bot("C"),
    ]);
    const summary = run(first, (before) => [user("in short"), ...before.slice(2), user("c"), bot("C")]);
    const after = afterTurns(first, [turn(3, 2, summary)]).messages;
    expect(after).toEqual([user("in short"), user("b"), bot("B"), user("c"), bot("C")]);
    const all = run(first, () => [user("all in short"), bot("C")]);
    expect(afterTurns(first, [turn(3, 2, all)]).messages).toEqual([user("all in short"), bot("C")]);
  });

  test("of a run that did not know of the turn before adds what is its own, behind it", () => {
    const one = run(first, (before) => [user("in short"), ...before.slice(2), user("c"), bot("C")]);
    const other = run(first, (before) => [user("shorter"), ...before.slice(3), user("d"), bot("D")]);
    const { messages, turn: last } = afterTurns(first, [turn(3, 2, one), turn(4, 2, other)]);
    expect(messages).toEqual([user("in short"), user("b"), bot("B"), user("c"), bot("C"), user("d"), bot("D")]);
    expect(last).toBe(4);
  });

  test("holds all of a history that the journal does not have", () => {
    const given = { ...nothingSaid, messages: [user("x"), bot("X")], isKept: false };
    const data = run(given, (before) => [...before, user("c"), bot("C")]);
    expect(afterTurns(nothingSaid, [turn(1, 0, data)]).messages).toEqual([user("x"), bot("X"), user("c"), bot("C")]);
  });

  test("that clears the conversation leaves nothing; what was asked before and is answered then comes behind", () => {
    const late = run(first, (before) => [...before, user("c"), bot("C")], true);
    const tainted = { ...first, tainted: true };
    const cleared = afterTurns(tainted, [turn(3, 2, clearingTurn)]);
    expect(cleared).toMatchObject({ messages: [], tainted: false, turn: 3 });
    expect(afterTurns(cleared, [turn(4, 2, late)])).toMatchObject({ messages: [user("c"), bot("C")], tainted: true });
  });

  test("carries the taint on, whichever of two that were asked at once ends last", () => {
    const clean = run(first, (before) => [...before, user("c"), bot("C")], false);
    const dirty = run(first, (before) => [...markOutside([...before, user("d"), bot("D")])], true);
    expect(afterTurns(first, [turn(3, 2, clean), turn(4, 2, dirty)]).tainted).toBe(true);
    expect(afterTurns(first, [turn(3, 2, dirty), turn(4, 2, clean)]).tainted).toBe(true);
    expect(afterTurns(first, [turn(3, 2, clean)]).tainted).toBe(false);
  });

  describe("of a run that was given a history, and did not know of the turn before,", () => {
    const given = (...messages: ConversationMessage[]): string =>
      run({ ...nothingSaid, messages, isKept: false }, (before) => [...before, user("c"), bot("C")]);

    test("adds that history, too", () => {
      const { messages } = afterTurns(first, [turn(3, 1, given(user("x"), bot("X")))]);
      expect(messages).toEqual([...first.messages, user("x"), bot("X"), user("c"), bot("C")]);
    });

    test("adds nothing of it that the conversation begins with", () => {
      const whole = afterTurns(first, [turn(3, 1, given(...first.messages))]).messages;
      expect(whole).toEqual([...first.messages, user("c"), bot("C")]);
      const [question, answer] = first.messages;
      const other = afterTurns(first, [turn(3, 1, given(question!, answer!, user("b"), bot("otherwise")))]).messages;
      // From the question on: an answer alone tells nothing.
      expect(other).toEqual([...first.messages, user("b"), bot("otherwise"), user("c"), bot("C")]);
    });
  });

  test("of a run that did not know of the turn before gets other call ids where its own are taken, always the same", () => {
    const calling = (id: string): ConversationMessage[] => [
      user("look"),
      { role: "assistant", content: [{ type: "tool-call", toolCallId: id, toolName: "look", input: {} }] },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: id, toolName: "look", output: { type: "text", value: id } }],
      },
    ];
    const ids = ({ messages }: Said): string[] =>
      [...JSON.stringify(messages).matchAll(/Id":"([^"]+)/g)].map(([, id]) => id!);
    const turns = ["c1", "c1", "call_turn2_0", "c1", "own"].map((id, at) =>
      turn(
        at + 1,
        0,
        run(nothingSaid, () => calling(id)),
      ),
    );
    const after = afterTurns(nothingSaid, turns);
    const paired = ["c1", "call_turn2_0", "call_turn3_0", "call_turn4_0", "own"].flatMap((id) => [id, id]);
    expect(ids(after)).toEqual(paired);
    expect(turns.reduce((said, one) => afterTurns(said, [one]), nothingSaid)).toEqual(after);
  });
});
