import { describe, expect, test } from "vitest";
import { type RecordOptions, recordRun } from "../../../test/support/record-run.ts";
import { toExecutionLog } from "../log/execution-log.ts";
import type { ChainSpec } from "../plan/chain-spec.ts";
import type { RunFacts } from "../interpreter/run-facts.ts";
import { type DryRunner, dryRunner } from "./dry-runner.ts";
import { type MockAnswer, type MockTools, mock } from "../../testing/chain/mock-tools.ts";

async function dryRun(
  spec: ChainSpec,
  options: RecordOptions,
): Promise<{ facts: RunFacts; withheld: DryRunner["withheld"]; tools: MockTools }> {
  let dry: DryRunner | undefined;
  const { facts, tools } = await recordRun(spec, {
    ...options,
    prepare: (plan) => dry?.prepare(plan) ?? plan,
    runner: (runner, engine) => {
      const secrets = { get: (name: string) => options.secrets?.[name] };
      dry = dryRunner({ runner, tool: (name) => engine.tools.get(name), secrets });
      return dry;
    },
  });
  return { facts, withheld: dry?.withheld ?? [], tools };
}

const mailing: ChainSpec = {
  name: "mailing",
  steps: [
    { id: "find", tool: "search", params: { q: "${input.q}" } },
    { id: "send", tool: "send_mail", params: { to: "${steps.find.output[0].mail}", key: "${secret.KEY}" } },
    {
      id: "note",
      tool: "write_file",
      params: { text: "sent ${steps.send.output.id}", extra: "${steps.note2.output}" },
    },
    { id: "note2", tool: "unknown_output", params: { id: "${steps.send.output.id}" } },
    { id: "last", tool: "check", params: { id: "${steps.send.output.id}", nothing: "${steps.note2.output.missing}" } },
  ],
};

const tools: Readonly<Record<string, MockAnswer>> = {
  search: mock({ effect: "read", answer: { results: [{ mail: "ann@example.com" }] } }),
  send_mail: mock({
    effect: "once",
    answer: { id: "really sent" },
    input: {
      type: "object",
      properties: { to: { type: "string" }, key: { type: "string" }, tries: { type: "integer", default: 3 } },
    },
    output: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
  }),
  write_file: mock({ effect: "idempotent", answer: "written" }),
  unknown_output: mock({ effect: "once", answer: "done" }),
  check: ({ id }) => `checked ${String(id)}`,
};

describe("a dry run", () => {
  test("[N03] really calls tools that only read, and shows the arguments of the others", async () => {
    const {
      facts,
      withheld,
      tools: mocks,
    } = await dryRun(mailing, {
      input: { q: "ann" },
      secrets: { KEY: "k-12345678" },
      tools,
    });
    expect(mocks.calls.map(({ tool }) => tool)).toEqual(["search"]);
    expect(withheld).toEqual([
      {
        key: "send#1",
        tool: "send_mail",
        effect: "once",
        args: { to: "ann@example.com", key: "[secret KEY]", tries: 3 },
        untrusted: { to: "find" },
      },
      {
        key: "note2#1",
        tool: "unknown_output",
        effect: "once",
        args: {},
        unknown: { id: "${steps.send.output.id}" },
        untrusted: { id: "send" },
      },
      {
        key: "note#1",
        tool: "write_file",
        effect: "idempotent",
        args: {},
        unknown: { text: "sent ${steps.send.output.id}", extra: "${steps.note2.output}" },
        untrusted: { text: "send", extra: "note2" },
      },
      // Only reads, but made-up values are never sent.
      {
        key: "last#1",
        tool: "check",
        effect: "pure",
        args: {},
        unknown: { id: "${steps.send.output.id}", nothing: "${steps.note2.output.missing}" },
        untrusted: { id: "send", nothing: "note2" },
      },
    ]);
    expect(facts.status).toBe("success");
    const log = toExecutionLog(facts);
    expect(log.steps.map(({ id, dry_run }) => [id, dry_run])).toEqual([
      ["find", undefined],
      ["send", true],
      ["note", true],
      ["note2", true],
      ["last", true],
    ]);
    expect(JSON.stringify(withheld)).not.toContain("k-12345678");
  });

  test("[N03] invalid arguments fail as in a real run", async () => {
    const spec: ChainSpec = { name: "c", steps: [{ id: "a", tool: "send_mail", params: { to: "${input.mail.to}" } }] };
    const { facts, withheld } = await dryRun(spec, { input: { mail: { to: 5 } }, tools });
    expect(facts.error).toMatchObject({
      code: "validation_error",
      message: expect.stringContaining("to must be a string"),
    });
    expect(withheld).toEqual([]);
  });

  test("[N03] an effect that depends on the arguments is resolved for each call", async () => {
    const http = mock({
      effect: (args) => ((args as { method?: string }).method === "GET" ? "read" : "once"),
      answer: "body",
    });
    const step = (id: string, method: string) => ({ id, tool: "http", params: { method } });
    const spec: ChainSpec = { name: "c", steps: [step("get", "GET"), step("post", "POST")] };
    const { facts, withheld } = await dryRun(spec, { tools: { http } });
    expect(facts.steps.map(({ output }) => output)).toEqual(["body", { dry_run: true }]);
    expect(withheld).toEqual([{ key: "post#1", tool: "http", effect: "once", args: { method: "POST" } }]);
  });

  test("[N03] a tool whose effect changes at the last moment is stopped, too", async () => {
    let requested = 0;
    const fickle = mock({ effect: () => (++requested === 1 ? "read" : "once"), answer: "done" });
    const spec: ChainSpec = { name: "c", steps: [{ id: "a", tool: "fickle" }] };
    const { facts, tools: mocks } = await dryRun(spec, { tools: { fickle } });
    expect(requested).toBeGreaterThan(1);
    expect(mocks.calls).toEqual([]);
    expect(facts.status).toBe("failed");
  });

  test("[N03] a tool that only reads is not called if a rule requires approval", async () => {
    const spec: ChainSpec = {
      name: "c",
      steps: [{ id: "a", tool: "search", params: { q: "x" }, approval: "Search?" }],
    };
    const { facts, withheld, tools: mocks } = await dryRun(spec, { tools, permissions: { ask: ["*"] } });
    expect(facts.status).toBe("success");
    expect(mocks.calls).toEqual([]);
    expect(withheld).toEqual([{ key: "a#1", tool: "search", effect: "read", args: { q: "x" } }]);
  });

  test("a secret that is not set fails as in a real run", async () => {
    const spec: ChainSpec = { name: "c", steps: [{ id: "a", tool: "send_mail", params: { key: "${secret.NONE}" } }] };
    const { facts, withheld } = await dryRun(spec, { tools });
    expect(facts.error).toMatchObject({ code: "not_available", reason: "secret_not_set" });
    expect(withheld).toEqual([]);
  });
});

describe("[N03] unknown values of a dry run", () => {
  const write = mock({ effect: "once", answer: { id: 7 } });
  const step = (id: string, tool: string, params: Record<string, unknown>) => ({ id, tool, params });

  test("include only what depends on withheld calls: the status of a step, and the rest of a sub-chain's output, are known", async () => {
    const inner: ChainSpec = {
      name: "inner",
      steps: [step("put", "write", { text: "${input.text}" }), step("see", "look", { text: "${input.text}" })],
      output: { id: "${steps.put.output.id}", seen: "${steps.see.output}" },
    };
    const spec: ChainSpec = {
      name: "outer",
      steps: [
        step("sub", "inner", { text: "hello" }),
        step("uses", "look", { text: "${steps.sub.output.seen}", how: "${steps.sub.status}" }),
        step("needs", "look", { id: "${steps.sub.output.id}", text: "known" }),
      ],
      output: { seen: "${steps.uses.output}", id: "${steps.sub.output.id}" },
    };
    const {
      facts,
      withheld,
      tools: mocks,
    } = await dryRun(spec, {
      chains: [inner],
      tools: { write, look: ({ text }) => `saw ${String(text)}` },
    });
    expect(facts.output).toEqual({ seen: "saw saw hello", id: null });
    expect(mocks.calls.map(({ args }) => args)).toEqual([{ text: "hello" }, { text: "saw hello", how: "success" }]);
    expect(withheld.map(({ key, args, unknown }) => ({ key, args, unknown }))).toEqual([
      { key: "sub#1/put#1", args: { text: "hello" }, unknown: undefined },
      { key: "needs#1", args: { text: "known" }, unknown: { id: "${steps.sub.output.id}" } },
    ]);
  });

  test("descends into sub-chains: with unknown inputs, conditions and lists, nothing is called", async () => {
    const inner: ChainSpec = {
      name: "inner",
      input: { id: "number", text: "string" },
      steps: [step("see", "look", { id: "${input.id}" }), step("read", "look", { text: "${input.text}" })],
    };
    const spec: ChainSpec = {
      name: "outer",
      steps: [
        step("put", "write", {}),
        step("sub", "inner", { id: "${steps.put.output.id}", text: "known" }),
        { ...step("maybe", "inner", { id: 1, text: "maybe" }), condition: "${steps.put.output.ok}" },
        { ...step("each", "inner", { id: "${item}", text: "each" }), for_each: "${steps.put.output.list}" },
        step("end", "look", { text: "${steps.sub.output.read}" }),
      ],
    };
    const {
      facts,
      withheld,
      tools: mocks,
    } = await dryRun(spec, {
      chains: [inner],
      tools: { write, look: ({ text }) => text },
    });
    expect(facts.status).toBe("success");
    expect(mocks.calls.map(({ args }) => args)).toEqual([{ text: "known" }, { text: "known" }]);
    const reported = Object.fromEntries(withheld.map(({ key, tool: _tool, effect: _effect, ...rest }) => [key, rest]));
    const onlyIf = "${steps.put.output.ok}";
    const forEach = "${steps.put.output.list}";
    const untrusted = { id: "put" };
    expect(reported).toEqual({
      "put#1": { args: {} },
      "sub#1/see#1": { args: {}, unknown: { id: "${input.id}" }, untrusted },
      "maybe#1/see#1": { args: { id: 1 }, onlyIf },
      "maybe#1/read#1": { args: { text: "maybe" }, onlyIf },
      "each[0]#1/see#1": { args: {}, unknown: { id: "${input.id}" }, untrusted, forEach },
      "each[0]#1/read#1": { args: { text: "each" }, forEach },
    });
  });

  test("do not make a chain call itself without end, nor a loop repeat", async () => {
    const again: ChainSpec = {
      name: "again",
      steps: [
        { ...step("put", "write", {}), repeat: { until: "${steps.put.output.done}", max: 50, delay: 60 } },
        { ...step("more", "again", {}), condition: "${steps.put.output.more}" },
      ],
    };
    const { facts, withheld } = await dryRun(again, { chains: [again], tools: { write } });
    expect(facts.status).toBe("success");
    expect(withheld.map(({ key }) => key)).toEqual(["put#1", "more#1/put#1"]);
  });

  test("do not hide failures with other reasons", async () => {
    const spec: ChainSpec = {
      name: "c",
      steps: [
        step("put", "write", {}),
        step("bad", "write", { id: "${steps.put.output.id}", sum: "${input.text - 1}" }),
      ],
    };
    const { facts } = await dryRun(spec, { input: { text: "no number" }, tools: { write } });
    expect(facts.error).toMatchObject({ code: "expression_error", message: expect.stringContaining("bad") });
  });

  test("requests no approval, with or without named approvers", async () => {
    const spec: ChainSpec = {
      name: "c",
      steps: [{ ...step("put", "write", { a: 1 }), approval: { message: "Now ${run.id}?", approvers: ["ada"] } }],
    };
    const { facts, withheld } = await dryRun(spec, { tools: { write } });
    expect(facts.status).toBe("success");
    expect(withheld).toEqual([{ key: "put#1", tool: "write", effect: "once", args: { a: 1 } }]);
  });
});
