import { describe, expect, test } from "vitest";
import type { ChainSpec } from "../../src/chain.ts";
import { type PermissionRules, defineTool } from "../../src/index.ts";
import { callWorld, waysToCall } from "./ways-to-call.ts";

function world(permissions: PermissionRules) {
  const stored: unknown[] = [];
  const store = defineTool({
    name: "store",
    description: "Stores a note",
    aliases: ["save_note"],
    capabilities: ["keep"],
    effect: "idempotent",
    destructive: true,
    input: { type: "object", properties: { path: { type: "string" } } },
    run: (args) => stored.push(args),
  });
  return { ...callWorld([store], chains, permissions), stored };
}

const write = { id: "write", tool: "store", params: { path: "notes/a.md" } };
const chains: readonly ChainSpec[] = [
  { name: "save", steps: [write] },
  { name: "outer", steps: [{ id: "inner", tool: "save" }] },
  { name: "outermost", steps: [{ id: "middle", tool: "outer" }] },
  { name: "each", steps: [{ ...write, for_each: ["a"], params: { path: "notes/${item}.md" } }] },
  { name: "by-alias", steps: [{ ...write, tool: "save_note" }] },
  { name: "by-capability", steps: [{ ...write, tool: "capability:keep" }] },
  { name: "harmless", steps: [{ id: "s", tool: "store", condition: "${false}" }] },
];
const targets = ["save", "outer", "outermost", "each", "by-alias", "by-capability"];

describe("[S2] a rule that denies a tool to a caller", () => {
  for (const { way, caller, reach } of waysToCall(false)) {
    test.each(targets)(`holds through ${way}, and there through %s`, async (chain) => {
      const denied = world({ deny: [`${caller}:store`], ask: [], allow: ["*"] });
      await reach(denied, chain);
      expect(denied.stored).toEqual([]);
      const allowed = world({ ask: [], allow: ["*"] });
      await reach(allowed, chain);
      expect(allowed.stored).toHaveLength(1);
    });
  }

  test("that is not on the path does not apply", async () => {
    const { engine, stored } = world({ deny: ["mcp:store"], ask: [], allow: ["*"] });
    await engine.call("outermost", {}, { callerType: "conversation_agent" });
    expect(stored).toHaveLength(1);
  });

  test("applies to a rerun by that caller, not to a rerun by a person", async () => {
    const { runs, stored, chains: library } = world({ deny: ["mcp:store"], ask: [], allow: ["*"] });
    const first = await runs.start(library.plan("save"), { callerType: "mcp_client", runId: "r" });
    expect(first).toMatchObject({ success: false });
    expect(await runs.rerun("r")).toMatchObject({ success: true });
    expect(stored).toHaveLength(1);
  });

  test("also holds for a tool that a composite tool calls, and for a chain that is denied by name", async () => {
    const { engine, stored } = world({ deny: ["model:save"], ask: [], allow: ["*"] });
    expect(await engine.call("outer", {}, { callerType: "conversation_agent" })).toMatchObject({
      error: { code: "permission_denied" },
    });
    expect(stored).toEqual([]);
    expect(await engine.call("outer", {})).toMatchObject({ success: true });
  });
});

describe("[S2] an approval of a chain", () => {
  const model = { callerType: "conversation_agent", conversationId: "c" } as const;

  test("lists its destructive steps and covers them", async () => {
    const { engine, approvals, stored } = world({ ask: ["destructive"], allow: ["*"] });
    const first = await engine.call("outermost", {}, model);
    const [pending] = await approvals.list(Date.now(), "pending");
    expect(first).toMatchObject({ error: { code: "approval_required" } });
    expect(pending?.message).toContain("its destructive calls: middle/inner/write (store)");
    await approvals.decide(pending?.id ?? "", { approved: true }, Date.now());
    expect(await engine.call("outermost", {}, model)).toMatchObject({ success: true });
    expect(stored).toHaveLength(1);
  });

  test.each(["store", "model:store", "model:st*"])(
    "does not cover a step whose tool the rule %s names",
    async (rule) => {
      const { engine, approvals, stored } = world({ ask: ["model:destructive", rule], allow: ["*"] });
      await engine.call("save", {}, model);
      const [pending] = await approvals.list(Date.now(), "pending");
      await approvals.decide(pending?.id ?? "", { approved: true }, Date.now());
      expect(await engine.call("save", {}, model)).toMatchObject({ success: false });
      expect(stored).toEqual([]);
    },
  );
});

describe("[U3] a list of allowed tools for a caller", () => {
  const listed = { allow: ["mcp:outer", "model:outer", "person:*"] };

  for (const { way, reach } of waysToCall(false).slice(0, 5)) {
    test(`offers nothing else through ${way}, and runs the steps of a listed chain`, async () => {
      const approving = world({ ...listed, ask: [], allow: [...listed.allow, "mcp:helper"] });
      expect(await reach(approving, "outer")).not.toMatch(/permission_denied|may not be called/);
      expect(approving.stored).toHaveLength(1);
      const other = world({ ...listed, ask: ["model:destructive", "mcp:destructive"] });
      await reach(other, "store", {}).catch(() => {});
      expect(other.stored).toEqual([]);
      expect(await other.approvals.list(Date.now())).toEqual([]);
    });
  }

  test("hides the others from models and clients", () => {
    const { engine } = world(listed);
    const names = (caller: "mcp_client" | "conversation_agent" | "direct"): string[] =>
      engine.tools.list().flatMap(({ tool }) => (engine.permits(tool, caller) ? [tool.name] : []));
    expect(names("mcp_client")).toEqual(["outer"]);
    expect(names("conversation_agent")).toEqual(["outer"]);
    expect(names("direct")).toContain("store");
  });
});
