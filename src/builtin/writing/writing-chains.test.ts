import { afterEach, describe, expect, test } from "vitest";
import {
  type ChatRequest,
  type OpenAiServer,
  type ServerAnswer,
  openAiServer,
} from "../../../test/support/openai-server.ts";
import { requestTool, writingAnswers } from "../../../test/support/writing-answers.ts";
import { ChainLibrary, type RunResult, runChain, toExecutionLog } from "../../chain/index.ts";
import { mock, mockTools } from "../../testing/index.ts";
import { createEngine } from "../../engine/index.ts";
import { openModel } from "../../model/index.ts";
import { type HttpClient, createHttpClient } from "../../net/index.ts";
import { builtinChains } from "../builtin-chains.ts";
import { writingTools } from "./index.ts";

const httpClients: HttpClient[] = [];
afterEach(async () => {
  for (const http of httpClients.splice(0)) await http.close();
});

const page = "A tide mill is driven by the tides. It stores the flood and uses it at the ebb.";

/** Tools of other areas, with the output shapes that the chains expect. */
const others = {
  test_runner: mock({
    effect: "read",
    answer: { passed: 1, failed: 1, coverage: 0.8, failures: [{ test: "1900", message: "expected false" }] },
  }),
  web_search: mock({ effect: "read", answer: { results: [{ title: "Tide mills", url: "https://mills.example/" }] } }),
  parallel_fetch: mock({
    effect: "read",
    answer: [{ url: "https://mills.example/", title: "Tide mills", content: page }],
  }),
  memory_store: mock({ effect: "idempotent", answer: "memory-1" }),
};

type Answers = Readonly<Record<string, unknown>>;

function answerFrom(answers: Answers): (request: ChatRequest) => ServerAnswer {
  return ({ messages }) => {
    const answer = answers[requestTool(messages[0]?.content ?? "")];
    return typeof answer === "string" ? answer : { json: answer };
  };
}

/** Runs a built-in chain with the real tools, against a server that speaks the OpenAI protocol. */
async function ran(
  chain: string,
  input: object,
  changed: Answers = {},
): Promise<{ run: RunResult; server: OpenAiServer; requested: readonly string[] }> {
  const server = await openAiServer(answerFrom({ ...writingAnswers, ...changed }));
  const http = createHttpClient({ allow: [server.host] });
  httpClients.push(http);
  const model = openModel({ baseUrl: server.baseUrl, name: "test-model" }, { http });
  const engine = createEngine({ tools: [...writingTools({ model }), ...mockTools([], others)] });
  const chains = new ChainLibrary({ tools: engine.tools });
  for (const source of builtinChains()) chains.add(source);
  expect(chains.problems(chain)).toEqual([]);
  const run = await runChain(chains.plan(chain), { engine, chains, input });
  await engine.close();
  const requested = server.requests.map(({ body }) => requestTool(body.messages[0]?.content ?? ""));
  return { run, server, requested };
}

const statusOf = ({ steps }: RunResult): Record<string, string> =>
  Object.fromEntries(steps.map(({ path, status }) => [path, status]));

function prompt({ requests }: OpenAiServer, at: number): string {
  return requests[at]?.body.messages.at(-1)?.content ?? "";
}

describe("[A13] [A17] dev-chain over the OpenAI protocol", () => {
  const input = { requirements: "Tell leap years from others.", language: "typescript" };

  test("fixes what the review finds", async () => {
    const { run, server, requested } = await ran("dev-chain", input);
    expect(run).toMatchObject({ success: true });
    expect(requested).toEqual(["llm_design", "code_generator", "code_reviewer", "code_fixer"]);
    expect(statusOf(run)).toEqual({
      design: "success",
      code: "success",
      test: "success",
      review: "success",
      fix: "success",
    });
    expect(run.output).toMatchObject({
      code: { language: "typescript", tests: [{ path: "leap-year.test.ts" }] },
      review: { approved: false, issues: [{ severity: "high", file: "leap-year.ts", line: 1 }] },
      fix: {
        files: [{ path: "leap-year.ts", content: expect.stringContaining("400") as string }],
        tests: [{ path: "leap-year.test.ts" }],
        changes: [expect.stringContaining("Centuries") as string],
      },
    });
    // Each step sees the output of the one before.
    expect(prompt(server, 1)).toContain("One pure function.");
    expect(prompt(server, 2)).toContain("expected false");
    expect(prompt(server, 3)).toContain("1900 counts as a leap year.");
  });

  test("does not change code in which the review finds nothing", async () => {
    const clean = { issues: [], summary: "Fine.", approved: true };
    const { run, requested } = await ran("dev-chain", input, { code_reviewer: clean });
    expect(run).toMatchObject({ success: true });
    expect(requested).toEqual(["llm_design", "code_generator", "code_reviewer"]);
    expect(statusOf(run)).toMatchObject({ review: "success", fix: "skipped" });
  });

  test("counts the tokens of every step", async () => {
    const { run } = await ran("dev-chain", input);
    const log = toExecutionLog(run);
    expect(log.total_tokens).toBe(4 * 150);
    expect(log.steps.find(({ id }) => id === "design")?.tokens_used).toBe(150);
  });
});

describe("[A13] [A17] write-chain over the OpenAI protocol", () => {
  const input = { topic: "Tide mills", style: "essay" };

  test("revises a text that scores below 8", async () => {
    const { run, server, requested } = await ran("write-chain", input);
    expect(run).toMatchObject({ success: true });
    expect(new Set(requested)).toEqual(
      new Set(["outline_generator", "llm_summarize", "content_writer", "content_reviewer", "content_reviser"]),
    );
    expect(run.output).toMatchObject({
      outline: { title: "Tide mills", topic: "Tide mills", style: "essay" },
      review: { score: 6, strengths: [] },
      revise: { title: "Tide mills", content: expect.stringContaining("Steam was cheaper.") as string },
    });
    const writer = prompt(server, requested.indexOf("content_writer"));
    expect(writer).toContain("They stored the flood.");
    expect(writer).toContain("https://mills.example/");
    const reviser = prompt(server, requested.indexOf("content_reviser"));
    expect(reviser).toContain("Say why they disappeared.");
  });

  test("does not change a text that scores 8", async () => {
    const { run, requested } = await ran("write-chain", input, { content_reviewer: { score: 8, feedback: "Good." } });
    expect(run).toMatchObject({ success: true });
    expect(requested).not.toContain("content_reviser");
    expect(statusOf(run)).toMatchObject({ review: "success", revise: "skipped" });
  });

  test("ends with the reason if the model cannot be used", async () => {
    const { run } = await ran("write-chain", input, { content_reviewer: { verdict: "good" } });
    expect(run).toMatchObject({ success: false, error: { code: "execution_error", reason: "invalid_output" } });
  });
});
