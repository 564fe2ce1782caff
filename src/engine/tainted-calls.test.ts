import { describe, expect, test } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { createEngine } from "./engine.ts";

const tainted = { callerType: "conversation_agent", tainted: true } as const;
const requested = { error: { code: "approval_required" } };
const remove = sampleTool(() => "gone", { name: "remove", effect: "once" });
const look = sampleTool(() => "seen", { name: "look", effect: "read" });

describe("[N08] a tainted call", () => {
  test("needs approval if it is destructive, even if a rule allows it", async () => {
    const engine = createEngine({ permissions: { ask: [], allow: ["*"] } });
    expect((await engine.call(remove, {}, { callerType: "conversation_agent" })).success).toBe(true);
    expect(await engine.call(remove, {}, tainted)).toMatchObject(requested);
    expect((await engine.call(look, {}, tainted)).success).toBe(true);
  });

  test("runs if the rule says trusted; a trusted rule for another tool has no effect", async () => {
    const engine = createEngine({ permissions: { ask: [], allow: ["model:remove trusted", "*"] } });
    expect((await engine.call(remove, {}, tainted)).success).toBe(true);
    const other = sampleTool(() => 1, { name: "remove_all", effect: "once" });
    expect(await engine.call(other, {}, tainted)).toMatchObject(requested);
  });

  test("is denied if a rule denies it, trusted or not", async () => {
    const engine = createEngine({ permissions: { deny: ["remove"], allow: ["* trusted"] } });
    expect(await engine.call(remove, {}, tainted)).toMatchObject({ error: { code: "permission_denied" } });
  });

  test("needs approval even if such calls are preapproved", async () => {
    const engine = createEngine({ findPreapproval: () => "a skill" });
    expect((await engine.call(remove, {}, { callerType: "conversation_agent" })).success).toBe(true);
    expect(await engine.call(remove, {}, tainted)).toMatchObject(requested);
  });

  test("taints its nested calls, until a person or a trusted rule lets it run", async () => {
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
      approver: { requestApproval: () => Promise.resolve({ kind: "approved" }) },
    });
    expect(await approving.call(parent("once", "outer"), {}, tainted)).toMatchObject({ output: "ran" });
  });

  test("trusted is only valid in allow rules", () => {
    expect(() => createEngine({ permissions: { ask: ["remove trusted"] } })).toThrow("only valid in rules of allow");
    expect(() => createEngine({ permissions: { deny: ["* trusted"] } })).toThrow("only valid in rules of allow");
  });
});
