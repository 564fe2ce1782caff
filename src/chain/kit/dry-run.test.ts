import { describe, expect, test } from "vitest";
import { type RecordOptions, recordRun } from "../../../test/support/record-run.ts";
import { toExecutionLog } from "../log/execution-log.ts";
import type { ChainSpec } from "../plan/spec.ts";
import type { RunFacts } from "../run/run-facts.ts";
import { type DryRunExecutor, dryRunExecutor } from "./dry-run.ts";
import { type MockAnswer, type MockTools, mock } from "./mock-tools.ts";

async function dryRun(
  spec: ChainSpec,
  options: RecordOptions,
): Promise<{ facts: RunFacts; withheld: DryRunExecutor["withheld"]; tools: MockTools }> {
  let dry: DryRunExecutor | undefined;
  const { facts, tools } = await recordRun(spec, {
    ...options,
    ask: (...question) => dry?.ask(...question) ?? Promise.resolve(undefined),
    executor: (executor, engine) => {
      const secrets = { get: (name: string) => options.secrets?.[name] };
      dry = dryRunExecutor({ executor, tool: (name) => engine.tools.get(name), secrets });
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
  test("[N03] really calls what only reads, and shows what the others would have been sent", async () => {
    const {
      facts,
      withheld,
      tools: mocks,
    } = await dryRun(mailing, {
      input: { q: "ann" },
      secrets: { KEY: "k-12345678" },
      tools,
    });
    expect(mocks.calls.map(({ tool }) => tool)).toEqual(["search", "check"]);
    expect(withheld).toEqual([
      {
        key: "send#1",
        tool: "send_mail",
        effect: "once",
        args: { to: "ann@example.com", key: "[secret KEY]", tries: 3 },
      },
      { key: "note2#1", tool: "unknown_output", effect: "once", args: { id: "text" } },
      {
        key: "note#1",
        tool: "write_file",
        effect: "idempotent",
        args: { text: "sent text", extra: { dry_run: true } },
      },
    ]);
    expect(facts.status).toBe("success");
    expect(facts.steps.at(-1)?.output).toBe("checked text");
    const log = toExecutionLog(facts);
    expect(log.steps.map(({ id, dry_run }) => [id, dry_run])).toEqual([
      ["find", undefined],
      ["send", true],
      ["note", true],
      ["note2", true],
      ["last", undefined],
    ]);
    expect(JSON.stringify(withheld)).not.toContain("k-12345678");
  });

  test("[N03] arguments that the tool would refuse fail as in earnest", async () => {
    const spec: ChainSpec = { name: "c", steps: [{ id: "a", tool: "send_mail", params: { to: "${input.to}" } }] };
    const { facts, withheld } = await dryRun(spec, { input: { to: 5 }, tools });
    expect(facts.error).toMatchObject({
      code: "validation_error",
      message: expect.stringContaining("to must be a string"),
    });
    expect(withheld).toEqual([]);
  });

  test("[N03] an effect that depends on the arguments decides call by call", async () => {
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

  test("[N03] a tool that changes its mind at the last moment is stopped all the same", async () => {
    let asked = 0;
    const fickle = mock({ effect: () => (++asked === 1 ? "read" : "once"), answer: "done" });
    const spec: ChainSpec = { name: "c", steps: [{ id: "a", tool: "fickle" }] };
    const { facts, tools: mocks } = await dryRun(spec, { tools: { fickle } });
    expect(asked).toBeGreaterThan(1);
    expect(mocks.calls).toEqual([]);
    expect(facts.status).toBe("failed");
  });

  test("[N03] a tool that only reads is not called either where a rule wants a person to be asked", async () => {
    const spec: ChainSpec = {
      name: "c",
      steps: [{ id: "a", tool: "search", params: { q: "x" }, approval: "Search?" }],
    };
    const { facts, withheld, tools: mocks } = await dryRun(spec, { tools, permissions: { ask: ["*"] } });
    expect(facts.status).toBe("success");
    expect(mocks.calls).toEqual([]);
    expect(withheld).toEqual([{ key: "a#1", tool: "search", effect: "read", args: { q: "x" } }]);
  });

  test("a secret that is not set fails as in earnest", async () => {
    const spec: ChainSpec = { name: "c", steps: [{ id: "a", tool: "send_mail", params: { key: "${secret.NONE}" } }] };
    const { facts, withheld } = await dryRun(spec, { tools });
    expect(facts.error).toMatchObject({ code: "not_available", reason: "secret_not_set" });
    expect(withheld).toEqual([]);
  });
});
