import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { isFailureError } from "../base/index.ts";
import type { CallerType } from "../store/index.ts";
import { createEngine } from "./engine.ts";
import { type PermissionRules, type PermissionSubject, compilePermissions, toolInRule } from "./permissions.ts";
import { cpuTime } from "../../test/support/cpu-time.ts";

const subject: PermissionSubject = {
  tool: "file_write",
  aliases: ["writeFile"],
  source: "tools",
  callerType: "direct",
  effect: "idempotent",
  destructive: true,
};

const decide = (rules: PermissionRules, about: Partial<PermissionSubject> = {}): string =>
  compilePermissions(rules).decide({ ...subject, ...about }).permission;

describe("the order of the rules", () => {
  test("`deny` precedes `ask`, and `ask` precedes `allow`", () => {
    const all = { deny: ["file_*"], ask: ["*"], allow: ["*"] };
    expect(decide(all)).toBe("deny");
    expect(decide(all, { tool: "other" })).toBe("ask");
    expect(decide({ ...all, ask: [] }, { tool: "other" })).toBe("allow");
  });

  test("a call that no rule matches is denied with that explanation", () => {
    expect(compilePermissions({ deny: [], ask: [], allow: ["other"] }).decide(subject)).toEqual({ permission: "deny" });
  });

  test("the decision names the rule that matched", () => {
    expect(compilePermissions({ deny: ["x", "file_*"] }).decide(subject)).toMatchObject({ rule: "file_*" });
  });

  test("by default destructive calls of a model, ours or that of an MCP client, need approval, and all else is allowed", () => {
    const callers: CallerType[] = ["direct", "workflow_node", "conversation_agent", "mcp_client"];
    const ruled = (destructive: boolean): string[] =>
      callers.map((callerType) => decide({}, { callerType, destructive }));
    expect(ruled(true)).toEqual(["allow", "allow", "ask", "ask"]);
    expect(ruled(false)).toEqual(["allow", "allow", "allow", "allow"]);
  });

  test("each list replaces its own default and no other", () => {
    const model = { callerType: "conversation_agent" } as const;
    expect(decide({ deny: ["nothing"] }, model)).toBe("ask");
    expect(decide({ ask: [] }, model)).toBe("allow");
    expect(decide({ allow: [] }, { destructive: false })).toBe("deny");
    expect(decide({ allow: [] }, model)).toBe("deny");
  });

  test("[U3] a caller whose tools are listed gets no others, regardless of the default rules about approval", () => {
    const mcp = { callerType: "mcp_client" } as const;
    const listed = { allow: ["mcp:basket", "mcp:file_write", "person:*"] };
    expect(decide(listed, { ...mcp, tool: "basket", destructive: false })).toBe("allow");
    expect(decide(listed, mcp)).toBe("ask");
    expect(decide(listed, { ...mcp, tool: "http_request" })).toBe("deny");
    expect(decide({ ...listed, ask: ["mcp:destructive"] }, { ...mcp, tool: "http_request" })).toBe("deny");
    // A rule of `ask` that names a tool lists it.
    expect(decide({ ...listed, ask: ["http_*"] }, { ...mcp, tool: "http_request" })).toBe("ask");
    expect(decide({ allow: [...listed.allow, "mcp:*"] }, { ...mcp, tool: "http_request" })).toBe("ask");
  });

  test("[U3] the steps of a chain need no rule of their own, unless rules list what chains may call", () => {
    const step = { callerType: "workflow_node", callerPath: ["mcp_client"] } as const;
    expect(decide({ allow: ["mcp:basket"] }, step)).toBe("allow");
    expect(decide({ allow: ["mcp:basket"], deny: ["mcp:file_write"] }, step)).toBe("deny");
    expect(decide({ allow: ["mcp:basket", "chain:other"] }, step)).toBe("deny");
    expect(decide({ allow: ["mcp:basket"] }, { callerType: "mcp_client", indirect: true, destructive: false })).toBe(
      "allow",
    );
  });

  test("[S2] a rule of `deny` for any caller on the path wins; a rule of `ask` does if it names the tool", () => {
    const step = { callerType: "workflow_node", callerPath: ["direct", "conversation_agent"] } as const;
    expect(decide({ deny: ["model:file_write"] }, step)).toBe("deny");
    expect(decide({ deny: ["model:destructive"] }, step)).toBe("deny");
    expect(decide({ deny: ["mcp:file_write"] }, step)).toBe("allow");
    expect(decide({ ask: ["model:file_*"] }, step)).toBe("ask");
    expect(decide({ ask: ["model:destructive"] }, step)).toBe("allow");
  });

  test("[P09] rules of the caller trigger hold for the steps of its runs, by default for destructive ones", () => {
    const step = { callerType: "workflow_node", callerPath: ["trigger"], destructive: true } as const;
    expect(decide({}, step)).toBe("ask");
    expect(decide({}, { ...step, destructive: false })).toBe("allow");
    expect(decide({}, { ...step, callerPath: ["direct"] })).toBe("allow");
    expect(decide({ ask: ["model:destructive"] }, step)).toBe("allow");
    expect(decide({ ask: ["trigger:effect:once"] }, { ...step, effect: "once" })).toBe("ask");
    const { dependsOnPath } = compilePermissions();
    expect([dependsOnPath(["trigger"]), dependsOnPath(["direct"]), dependsOnPath([])]).toEqual([true, false, false]);
  });

  test.each(["api", "trigger", "library"] as const)("the caller %s can be named", (callerType) => {
    expect(decide({ deny: [`${callerType}:file_write`] }, { callerType })).toBe("deny");
    expect(decide({ deny: [`${callerType}:file_write`] })).toBe("allow");
  });

  test("[S3] the selector sends matches tools that send data to others", () => {
    expect(decide({ deny: ["sends"] }, { sends: true })).toBe("deny");
    expect(decide({ deny: ["sends"] })).toBe("allow");
    expect(toolInRule("model:sends")).toBeUndefined();
  });
});

test.each([
  ["send", "send", "direct"],
  ["model:send", "send", "conversation_agent"],
  ["send trusted", "send", "direct"],
  ["mcp:send   trusted", "send", "mcp_client"],
  ["mail/send trusted", "mail/send", "direct"],
  ["trusted", "trusted", "direct"],
] as const)("the rule %j applies to the tool %j", (rule, tool, callerType) => {
  expect(toolInRule(rule)).toBe(tool);
  const rules = { deny: [], ask: [], allow: [rule] };
  expect(decide(rules, { tool, callerType })).toBe("allow");
  expect(decide(rules, { tool: `${tool}2`, callerType })).toBe("deny");
});

test.each([
  "file_* trusted",
  "destructive trusted",
  "model:destructive",
  "effect:once",
  "model:source:mcps trusted",
  "* trusted",
])("the rule %j does not apply to a single tool", (rule) => {
  expect(toolInRule(rule)).toBeUndefined();
});

describe("short names that a server gives its tools", () => {
  const foreign = { tool: "mail/calculator", aliases: ["calculator"], source: "mcps" };

  test("count for deny and ask rules, and not for allow rules", () => {
    expect(decide({ deny: ["calculator"] }, foreign)).toBe("deny");
    expect(decide({ ask: ["calc*"] }, foreign)).toBe("ask");
    expect(decide({ ask: [], allow: ["calculator", "calc*"] }, foreign)).toBe("deny");
    expect(decide({ ask: [], allow: ["mail/*"] }, foreign)).toBe("allow");
    expect(decide({ ask: [], allow: ["calculator"] }, { ...foreign, source: "tools" })).toBe("allow");
  });
});

describe("selectors", () => {
  const matching: [string, Partial<PermissionSubject>, boolean][] = [
    ["*", {}, true],
    ["file_write", {}, true],
    ["file", {}, false],
    ["file_writer", {}, false],
    ["File_write", {}, true],
    ["file_*", {}, true],
    ["*_write", {}, true],
    ["*ile*rit*", {}, true],
    ["f*e", {}, true],
    ["**", {}, true],
    ["file_write*", {}, true],
    ["*file_write", {}, true],
    ["a*a", { tool: "a" }, false],
    ["a*a", { tool: "aa" }, true],
    ["a*b*b", { tool: "ab" }, false],
    ["a*b*b", { tool: "abb" }, true],
    ["a.c", { tool: "abc" }, false],
    ["搜索*", { tool: "搜索网页" }, true],
    ["effect:idempotent", {}, true],
    ["effect:once", {}, false],
    ["source:tools", {}, true],
    ["source:mcps", {}, false],
    ["destructive", {}, true],
    ["destructive", { destructive: false }, false],
    ["model:*", {}, false],
    ["model:*", { callerType: "conversation_agent" }, true],
    ["conversation_agent:file_*", { callerType: "conversation_agent" }, true],
    ["person:file_*", {}, true],
    ["direct:*", {}, true],
    ["chain:*", { callerType: "workflow_node" }, true],
    ["workflow_node:destructive", { callerType: "workflow_node" }, true],
    ["mcp:source:tools", { callerType: "mcp_client" }, true],
    ["mcp_client:effect:idempotent", { callerType: "mcp_client" }, true],
    ["mcp:effect:once", { callerType: "mcp_client" }, false],
  ];

  test.each(matching)("%s with %j", (rule, about, matches) => {
    expect(decide({ deny: [rule], ask: [] }, about)).toBe(matches ? "deny" : "allow");
  });

  test("a long name against many stars is matched quickly", () => {
    const begin = cpuTime();
    expect(decide({ deny: [`${"a*".repeat(50)}b`] }, { tool: "a".repeat(64) })).toBe("allow");
    expect(cpuTime() - begin).toBeLessThan(100);
  });

  const wrong = [
    "",
    ":",
    "model:",
    "effect:",
    "effect:delete",
    "source:",
    "robot:*",
    "a:b:c",
    "__proto__:*",
    "constructor:*",
  ];

  test.each(wrong)("%j is refused with an example of a valid rule", (rule) => {
    let thrown: unknown;
    try {
      compilePermissions({ ask: [rule] });
    } catch (error) {
      thrown = error;
    }
    expect(isFailureError(thrown) && thrown.code).toBe("file_invalid");
    expect(String(thrown)).toContain(`"${rule}" is not a permission rule; write [caller:]selector`);
  });
});

test("a capability is not a selector, and the refusal lists the selectors", () => {
  for (const rule of ["capability:search", "model:capability:search"])
    expect(() => compilePermissions({ deny: [rule] })).toThrow(
      /rules apply to the tools .*windlass tools show capability:search\)/,
    );
});

describe("rules in the engine", () => {
  test("effect and destructive may depend on the arguments", async () => {
    const http = sampleTool(({ method }) => method, {
      name: "http",
      effect: ({ method }) => (method === "GET" ? "read" : "once"),
    });
    const engine = createEngine({ permissions: { deny: ["effect:once"] } });
    expect((await engine.call(http, { method: "GET" })).success).toBe(true);
    expect(await engine.call(http, { method: "POST" })).toMatchObject({ error: { code: "permission_denied" } });

    const request = createEngine();
    const model = { callerType: "conversation_agent" } as const;
    expect((await request.call(http, { method: "GET" }, model)).success).toBe(true);
    expect(await request.call(http, { method: "POST" }, model)).toMatchObject({ error: { code: "approval_required" } });
    const write = sampleTool(() => 1, { effect: "idempotent", destructive: ({ force }) => force === true });
    expect((await request.call(write, {}, model)).success).toBe(true);
    expect(await request.call(write, { force: true }, model)).toMatchObject({ error: { code: "approval_required" } });
  });

  test("a call by alias is matched by the name of the tool", async () => {
    const tool = sampleTool(() => 1, { name: "web_search", aliases: ["webSearch"] });
    const engine = createEngine({ tools: [tool], permissions: { deny: ["web_search"] } });
    expect(await engine.call("webSearch", {})).toMatchObject({
      error: { code: "permission_denied" },
      tool: "web_search",
    });
  });

  test("a rule about a source also applies if the tool is called by reference", async () => {
    const tool = sampleTool(() => 1);
    const engine = createEngine({ permissions: { deny: ["source:mcps"] } });
    engine.tools.register(tool, { source: "mcps", priority: 2 });
    expect(await engine.call("work", {})).toMatchObject({ error: { code: "permission_denied" } });
    expect(await engine.call(tool, {})).toMatchObject({
      error: { code: "permission_denied" },
      meta: { source: "mcps" },
    });
  });

  test("a nested call is checked as a call of its root's caller", async () => {
    const remove = sampleTool(() => "gone", { name: "remove", effect: "once" });
    const parent = sampleTool(
      async (_args, { callTool }) => {
        const result = await callTool(remove, {});
        return result.success ? "ran" : result.error.code;
      },
      { composite: true },
    );
    const engine = createEngine();
    expect(await engine.call(parent, {})).toMatchObject({ output: "ran" });
    const asModel = await engine.call(parent, {}, { callerType: "conversation_agent" });
    expect(asModel).toMatchObject({ output: "approval_required" });
  });

  test("a denied handler never runs, and the call takes no slot", async () => {
    let ran = false;
    const tool = sampleTool(() => (ran = true));
    const engine = createEngine({ permissions: { deny: ["*"] } });
    await engine.call(tool, {});
    expect(ran).toBe(false);
    expect(engine.metrics().totalAcquired).toBe(0);
  });
});

test("the decision for all calls of a caller agrees with the decision for each call", () => {
  const list = fc.subarray(["*", "model:*", "chain:*", "destructive", "file_*", "person:effect:once", "source:mcps"]);
  const about = fc.record({
    tool: fc.constantFrom("file_write", "other"),
    callerType: fc.constantFrom<CallerType>("direct", "conversation_agent", "workflow_node", "mcp_client"),
    effect: fc.constantFrom("pure" as const, "once" as const),
    source: fc.constantFrom("tools", "mcps"),
    destructive: fc.boolean(),
  });
  const agrees = (rules: PermissionRules, input: Partial<PermissionSubject>): boolean => {
    const { always, decide } = compilePermissions(rules);
    const each = decide({ ...subject, ...input });
    return (always(input.callerType ?? "direct") ?? each) === each || each.rule === undefined;
  };
  expect(() => fc.assert(fc.property(fc.record({ deny: list, ask: list, allow: list }), about, agrees))).not.toThrow();
});
