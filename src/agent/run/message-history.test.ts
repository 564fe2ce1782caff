import { describe, expect, test } from "vitest";
import type { ConversationTurn } from "../../store/index.ts";
import { markUntrusted } from "./untrusted-messages.ts";
import type { ConversationMessage } from "../events/message.ts";
import { type MessageHistory, applyTurns, clearingTurn, emptyHistory, writeTurn } from "./message-history.ts";

const user = (text: string): ConversationMessage => ({ role: "user", content: [{ type: "text", text }] });
const bot = (text: string): ConversationMessage => ({ role: "assistant", content: [{ type: "text", text }] });
const turn = (number: number, after: number, data: string): ConversationTurn => ({ number, after, at: 0, data });

/** Simulates a run that knows `said`: returns its turn in the journal. */
function run(
  text: MessageHistory,
  make: (before: readonly ConversationMessage[]) => ConversationMessage[],
  tainted = text.tainted,
) {
  return writeTurn({ ...text, messages: text.messages }, { messages: make(text.messages), tainted });
}

const first = applyTurns(emptyHistory, [
  turn(
    1,
    0,
    run(emptyHistory, () => [user("a".repeat(5000)), bot("A")]),
  ),
  turn(
    2,
    1,
    run({ ...emptyHistory, messages: [], turn: 1 }, () => [user("b"), bot("B")]),
  ),
]);

describe("a turn", () => {
  test("contains what it adds, and nothing of the earlier history", () => {
    const data = run(first, (before) => [...before, user("c"), bot("C")]);
    expect(JSON.parse(data)).toEqual({ added: [user("c"), bot("C")] });
    const after = applyTurns(first, [turn(3, 2, data)]);
    expect(after).toEqual({ ...first, messages: [...first.messages, user("c"), bot("C")], turn: 3 });
  });

  test("a turn that clears an old message or inserts a summary contains only that change", () => {
    const cleared = run(first, (before) => [before[0]!, bot("cleared"), before[2]!, before[3]!, user("c"), bot("C")]);
    expect(cleared.length).toBeLessThan(500);
    expect(applyTurns(first, [turn(3, 2, cleared)]).messages).toEqual([
      first.messages[0],
      bot("cleared"),
      user("b"),
      bot("B"),
      user("c"),
      bot("C"),
    ]);
    const summary = run(first, (before) => [user("in short"), ...before.slice(2), user("c"), bot("C")]);
    const after = applyTurns(first, [turn(3, 2, summary)]).messages;
    expect(after).toEqual([user("in short"), user("b"), bot("B"), user("c"), bot("C")]);
    const all = run(first, () => [user("all in short"), bot("C")]);
    expect(applyTurns(first, [turn(3, 2, all)]).messages).toEqual([user("all in short"), bot("C")]);
  });

  test("a turn of a run that did not know the turn before appends its own messages", () => {
    const one = run(first, (before) => [user("in short"), ...before.slice(2), user("c"), bot("C")]);
    const other = run(first, (before) => [user("shorter"), ...before.slice(3), user("d"), bot("D")]);
    const { messages, turn: last } = applyTurns(first, [turn(3, 2, one), turn(4, 2, other)]);
    expect(messages).toEqual([user("in short"), user("b"), bot("B"), user("c"), bot("C"), user("d"), bot("D")]);
    expect(last).toBe(4);
  });

  test("contains the whole history if the journal does not have it", () => {
    const input = { ...emptyHistory, messages: [user("x"), bot("X")], isPersisted: false };
    const data = run(input, (before) => [...before, user("c"), bot("C")]);
    expect(applyTurns(emptyHistory, [turn(1, 0, data)]).messages).toEqual([user("x"), bot("X"), user("c"), bot("C")]);
  });

  test("a turn that clears the conversation leaves nothing; a prompt sent before and answered later is appended", () => {
    const late = run(first, (before) => [...before, user("c"), bot("C")], true);
    const tainted = { ...first, tainted: true };
    const cleared = applyTurns(tainted, [turn(3, 2, clearingTurn)]);
    expect(cleared).toMatchObject({ messages: [], tainted: false, turn: 3 });
    expect(applyTurns(cleared, [turn(4, 2, late)])).toMatchObject({ messages: [user("c"), bot("C")], tainted: true });
  });

  test("carries the taint on, in any order in which two concurrent prompts end", () => {
    const clean = run(first, (before) => [...before, user("c"), bot("C")], false);
    const dirty = run(first, (before) => [...markUntrusted([...before, user("d"), bot("D")])], true);
    expect(applyTurns(first, [turn(3, 2, clean), turn(4, 2, dirty)]).tainted).toBe(true);
    expect(applyTurns(first, [turn(3, 2, dirty), turn(4, 2, clean)]).tainted).toBe(true);
    expect(applyTurns(first, [turn(3, 2, clean)]).tainted).toBe(false);
  });

  describe("a turn of a run with a history from the caller, and without knowledge of the turn before,", () => {
    const input = (...messages: ConversationMessage[]): string =>
      run({ ...emptyHistory, messages, isPersisted: false }, (before) => [...before, user("c"), bot("C")]);

    test("adds that history, too", () => {
      const { messages } = applyTurns(first, [turn(3, 1, input(user("x"), bot("X")))]);
      expect(messages).toEqual([...first.messages, user("x"), bot("X"), user("c"), bot("C")]);
    });

    test("adds nothing of it that the conversation starts with", () => {
      const whole = applyTurns(first, [turn(3, 1, input(...first.messages))]).messages;
      expect(whole).toEqual([...first.messages, user("c"), bot("C")]);
      const [prompt, answer] = first.messages;
      const other = applyTurns(first, [turn(3, 1, input(prompt!, answer!, user("b"), bot("otherwise")))]).messages;
      // Starting at the user message: an answer alone is meaningless.
      expect(other).toEqual([...first.messages, user("b"), bot("otherwise"), user("c"), bot("C")]);
    });
  });

  test("a turn of a run that did not know the turn before gets other call ids if its own are taken, always the same", () => {
    const calling = (id: string): ConversationMessage[] => [
      user("look"),
      { role: "assistant", content: [{ type: "tool-call", toolCallId: id, toolName: "look", input: {} }] },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: id, toolName: "look", output: { type: "text", value: id } }],
      },
    ];
    const ids = ({ messages }: MessageHistory): string[] =>
      [...JSON.stringify(messages).matchAll(/Id":"([^"]+)/g)].map(([, id]) => id!);
    const turns = ["c1", "c1", "call_turn2_0", "c1", "own"].map((id, at) =>
      turn(
        at + 1,
        0,
        run(emptyHistory, () => calling(id)),
      ),
    );
    const after = applyTurns(emptyHistory, turns);
    const paired = ["c1", "call_turn2_0", "call_turn3_0", "call_turn4_0", "own"].flatMap((id) => [id, id]);
    expect(ids(after)).toEqual(paired);
    expect(turns.reduce((text, one) => applyTurns(text, [one]), emptyHistory)).toEqual(after);
  });
});
