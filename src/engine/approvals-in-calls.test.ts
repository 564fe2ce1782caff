import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fail, systemClock } from "../base/index.ts";
import { fromJsonSchema } from "../schema/index.ts";
import { createInMemoryApprovals } from "../store/index.ts";
import { defineTool, type ToolResult } from "../tool/index.ts";
import { storedApprover } from "./approval-service.ts";
import type { Approver } from "./approver.ts";
import { internals } from "./internals.ts";
import { createEngine } from "./engine.ts";

function engineWith(input: Parameters<typeof defineTool>[0]["input"], more: object = {}) {
  const approvals = createInMemoryApprovals({});
  const seen: unknown[] = [];
  const remove = defineTool({
    name: "remove",
    description: "Removes",
    aliases: ["erase"],
    effect: "once",
    ...(input !== undefined && { input }),
    run: (args) => {
      seen.push(args);
      return { removed: true };
    },
  });
  const approver = storedApprover(approvals, systemClock);
  const engine = createEngine({ tools: [remove], permissions: { ask: ["remove"] }, approver, ...more });
  const approve = (result: ToolResult): Promise<unknown> =>
    approvals.decide(result.success ? "" : (result.error.approvalId ?? ""), { approved: true }, Date.now());
  return { engine, approve, seen };
}

describe("an approved call runs", () => {
  test.each([
    ["with a member that is undefined", { id: "1", note: undefined }],
    ["with a date", { id: "1", at: new Date(0) }],
  ])("%s", async (_what, args) => {
    const { engine, approve, seen } = engineWith(
      z.object({ id: z.string(), note: z.string().optional(), at: z.date().optional() }),
    );
    const first = await engine.call("remove", args);
    expect(first).toMatchObject({ error: { code: "approval_required" } });
    await approve(first);
    expect(await engine.call("remove", args)).toMatchObject({ success: true });
    expect(seen).toHaveLength(1);
    expect(await engine.call("remove", args)).toMatchObject({ error: { code: "approval_required" } });
  });

  test("an approved call gets the arguments that were shown, even if the caller changes its objects in the meantime", async () => {
    const say = Promise.withResolvers<void>();
    const approver: Approver = {
      async requestApproval() {
        await say.promise;
        return { kind: "approved" };
      },
    };
    const open = { type: "object", properties: { target: { type: "object" } } };
    const { engine, seen } = engineWith(fromJsonSchema(open), { approver });
    const args = { target: { path: "safe" } };
    const call = engine.call("remove", args);
    args.target.path = "other";
    say.resolve();
    expect(await call).toMatchObject({ success: true });
    expect(seen).toEqual([{ target: { path: "safe" } }]);
    expect((await engine.queryRecords({})).records[0]?.args).toEqual({ target: { path: "safe" } });
  });
});

test("an approval is not consumed by a call that got no slot", async () => {
  const { engine, approve } = engineWith(undefined, { concurrency: { maxConcurrent: 1, strategy: "reject" } });
  const hold = defineTool({
    name: "hold",
    description: "Holds the place",
    effect: "read",
    run: (_args, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(null))),
  });
  await approve(await engine.call("remove", {}));
  const stop = new AbortController();
  const holding = engine.call(hold, {}, { signal: stop.signal });
  expect(await engine.call("remove", {})).toMatchObject({ error: { code: "rejected", retry: "safe" } });
  stop.abort();
  await holding;
  expect(await engine.call("remove", {}, { maxRetries: 0 })).toMatchObject({ success: true });
});

test("an approver that returns an invalid answer has approved nothing", async () => {
  const approver = { requestApproval: () => Promise.resolve({ kind: "yes" }) } as unknown as Approver;
  const { engine, seen } = engineWith(undefined, { approver });
  expect(await engine.call("remove", {})).toMatchObject({ error: { code: "execution_error", reason: "internal" } });
  expect(seen).toEqual([]);
});

describe("a rule or a list that names an alias applies to the tool", () => {
  test.each([
    ["a rule", { permissions: { deny: ["erase"] } }, "permission_denied"],
    ["a rule with a pattern", { permissions: { deny: ["era*"] } }, "permission_denied"],
    ["disabledTools", { disabledTools: ["erase"] }, "not_available"],
  ])("%s", async (_what, options, code) => {
    const { engine } = engineWith(undefined, options);
    for (const name of ["remove", "erase"]) expect(await engine.call(name, {})).toMatchObject({ error: { code } });
  });
});

test("another attempt gets the original arguments", async () => {
  const seen: unknown[] = [];
  const flaky = defineTool({
    name: "flaky",
    description: "Changes its arguments and fails twice",
    effect: "read",
    input: z.object({ list: z.array(z.number()) }),
    run: (args) => {
      seen.push([...args.list]);
      args.list.push(99);
      if (seen.length < 3) throw new Error("not yet");
      return { done: true };
    },
  });
  expect(await createEngine({ random: () => 0 }).call(flaky, { list: [1] })).toMatchObject({ success: true });
  expect(seen).toEqual([[1], [1], [1]]);
});

test("[N05] nested calls have the same key in every attempt of their parent", async () => {
  const keys: string[] = [];
  const inner = defineTool({
    name: "inner",
    description: "Notes its key",
    effect: "read",
    run: (_args, ctx) => {
      keys.push(ctx.idempotencyKey);
      return null;
    },
  });
  const outer = defineTool({
    name: "outer",
    description: "Calls twice and fails once",
    effect: "read",
    composite: true,
    run: async (_args, ctx) => {
      await ctx.callTool(inner, {});
      await ctx.callTool(inner, {});
      if (ctx.attempt === 1) throw new Error("once more");
      return null;
    },
  });
  await createEngine({ random: () => 0 }).call(outer, {}, { idempotencyKey: "K" });
  expect(keys).toEqual(["K/1", "K/2", "K/1", "K/2"]);
});

test("[N02] a once tool is not retried, even if its failure claims that a retry is safe", async () => {
  let runs = 0;
  const pay = defineTool({
    name: "pay",
    description: "Pays",
    effect: "once",
    run: () => {
      runs++;
      return fail("nobody answered", { retry: "safe" });
    },
  });
  expect(await createEngine().call(pay, {})).toMatchObject({ error: { retry: "safe" }, meta: { attempts: 1 } });
  expect(runs).toBe(1);
});

test("a handler cannot produce failures that only the engine may report", async () => {
  const liar = defineTool({
    name: "liar",
    description: "Claims to wait for an approval",
    run: () => fail("approve me", { code: "approval_required" }),
  });
  expect(await createEngine().call(liar, {})).toMatchObject({
    error: { code: "execution_error", reason: "approval_required" },
  });
});

test("a synchronous generator yields progress and returns an output too", async () => {
  const steps = defineTool({
    name: "steps",
    description: "Yields",
    effect: "read",
    run: function* () {
      yield 1;
      yield 2;
      return { done: true };
    } as unknown as () => { done: boolean },
  });
  const progress: unknown[] = [];
  const result = await createEngine().call(steps, {}, { onProgress: (value) => progress.push(value) });
  expect(result).toMatchObject({ success: true, output: { done: true } });
  expect(progress).toEqual([1, 2]);
});

describe("a call that was approved beforehand", () => {
  const context = { callerType: "conversation_agent", conversationId: "c1" } as const;
  const byNotes = (subject: { tool: string }, { conversationId }: { conversationId?: string }): string | undefined =>
    subject.tool === "remove" && conversationId === "c1" ? "skill notes" : undefined;

  test("runs if a rule says `ask`, and its result and its record name the approver", async () => {
    const { engine, seen } = engineWith(undefined, { findPreapproval: byNotes });
    const result = await engine.call("remove", {}, context);
    expect(result).toMatchObject({ success: true, meta: { preapproved: "skill notes" } });
    expect((await engine.queryRecords({})).records[0]?.reported).toEqual({ preapproved: "skill notes" });
    expect(await engine.call("remove", {}, { ...context, conversationId: "c2" })).toMatchObject({
      error: { code: "approval_required" },
    });
    expect(seen).toHaveLength(1);
  });

  test("is refused if a rule denies it, and the preapproval is not consulted if a rule allows it", async () => {
    const requested: string[] = [];
    const preapproved = ({ tool }: { tool: string }): string => `${requested.push(tool)}`;
    const denied = engineWith(undefined, {
      findPreapproval: preapproved,
      permissions: { deny: ["remove"], ask: ["remove"] },
    });
    expect(await denied.engine.call("remove", {}, context)).toMatchObject({ error: { code: "permission_denied" } });
    const allowed = engineWith(undefined, { findPreapproval: preapproved, permissions: { ask: [] } });
    const result = await allowed.engine.call("remove", {}, context);
    expect(result).toMatchObject({ success: true });
    expect(result.meta).not.toHaveProperty("preapproved");
    expect(requested).toEqual([]);
  });

  test.each([
    ["true", () => true],
    ["false", () => false],
    ["a promise", () => Promise.resolve("skill notes")],
    [
      "an error",
      () => {
        throw new Error("broken");
      },
    ],
  ])("does not count if the approver's name is %s", async (_what, preapproved) => {
    const { engine, seen } = engineWith(undefined, { findPreapproval: preapproved });
    expect(await engine.call("remove", {}, context)).toMatchObject({ success: false });
    expect(seen).toEqual([]);
  });

  test("counts as allowed for a composite that chooses among tools", async () => {
    const { engine } = engineWith(undefined, { findPreapproval: byNotes });
    const subject = { tool: "remove", aliases: [], source: "tools", effect: "once", destructive: true } as const;
    const look = defineTool({
      name: "look",
      description: "Looks what the rules say",
      effect: "read",
      composite: true,
      run: (_args, within) => internals(within).decidePermission(subject),
    });
    expect(await engine.call(look, {}, context)).toMatchObject({ output: "allow" });
    expect(await engine.call(look, {}, { ...context, conversationId: "c2" })).toMatchObject({ output: "ask" });
  });

  test("is reported by the engine alone: a handler cannot claim it", async () => {
    const { engine } = engineWith(undefined);
    const claim = defineTool({
      name: "claim",
      description: "Claims",
      effect: "read",
      run: (_args, { report }) => report({ preapproved: "skill notes", rows: 2 }),
    });
    const result = await engine.call(claim, {}, context);
    expect(result.meta).toMatchObject({ rows: 2 });
    expect(result.meta).not.toHaveProperty("preapproved");
    expect((await engine.queryRecords({})).records[0]?.reported).toEqual({ rows: 2 });
  });
});

test("an approval is bound to the tool definition: another tool under the same name needs a new approval", async () => {
  const { engine, approve, seen } = engineWith(undefined);
  await approve(await engine.call("remove", { id: 1 }));
  const other = { name: "remove", effect: "once" as const, run: () => seen.push("other") };
  for (const changed of [
    defineTool({ ...other, description: "Removes everything" }),
    defineTool({ ...other, description: "Removes", version: "2.0.0" }),
  ]) {
    engine.tools.register(changed);
    expect(await engine.call("remove", { id: 1 })).toMatchObject({ error: { code: "approval_required" } });
  }
  expect(seen).toEqual([]);
});
