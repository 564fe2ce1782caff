import { describe, expect, test } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { createEngine } from "./engine.ts";

const tainted = { callerType: "conversation_agent", tainted: true } as const;
const asked = { error: { code: "approval_required" } };
const remove = sampleTool(() => "gone", { name: "remove", effect: "once" });
const look = sampleTool(() => "seen", { name: "look", effect: "read" });

describe("[N08] a call that text from outside could have led to", () => {
  test("is asked about when it is destructive, also where a rule allows it", async () => {
    const engine = createEngine({ permissions: { ask: [], allow: ["*"] } });
    expect((await engine.call(remove, {}, { callerType: "conversation_agent" })).success).toBe(true);
    expect(await engine.call(remove, {}, tainted)).toMatchObject(asked);
    expect((await engine.call(look, {}, tainted)).success).toBe(true);
  });

  test("runs where the rule says trusted, and a rule for another tool does not", async () => {
    const engine = createEngine({ permissions: { ask: [], allow: ["model:remove trusted", "*"] } });
    expect((await engine.call(remove, {}, tainted)).success).toBe(true);
    const other = sampleTool(() => 1, { name: "remove_all", effect: "once" });
    expect(await engine.call(other, {}, tainted)).toMatchObject(asked);
  });

  test("is denied where a rule denies it, trusted or not", async () => {
    const engine = createEngine({ permissions: { deny: ["remove"], allow: ["* trusted"] } });
    expect(await engine.call(remove, {}, tainted)).toMatchObject({ error: { code: "permission_denied" } });
  });

  test("is asked about although somebody approved such calls beforehand", async () => {
    const engine = createEngine({ preapproved: () => "a skill" });
    expect((await engine.call(remove, {}, { callerType: "conversation_agent" })).success).toBe(true);
    expect(await engine.call(remove, {}, tainted)).toMatchObject(asked);
  });

  test("carries over to the calls within it, until a person or a trusted rule lets it run", async () => {
    const parent = (effect: "read" | "once", name: string) =>
      sampleTool(
        async (_args, { callTool }) => {
          const result = await callTool(remove, {});
          return result.success ? "ran" : result.error.code;
        },
        { composite: true, effect, name },
      );
    const engine = createEngine({ permissions: { ask: [], allow: ["cleared trusted", "*"] } });
    expect(await engine.call(parent("read", "plain"), {}, tainted)).toMatchObject({ output: "approval_required" });
    expect(await engine.call(parent("once", "cleared"), {}, tainted)).toMatchObject({ output: "ran" });
    const approving = createEngine({
      permissions: { ask: [], allow: ["*"] },
      approver: { ask: () => Promise.resolve({ kind: "approved" }) },
    });
    expect(await approving.call(parent("once", "outer"), {}, tainted)).toMatchObject({ output: "ran" });
  });

  test("trusted belongs to rules that allow", () => {
    expect(() => createEngine({ permissions: { ask: ["remove trusted"] } })).toThrow("only rules of allow can");
    expect(() => createEngine({ permissions: { deny: ["* trusted"] } })).toThrow("only rules of allow can");
  });
});
