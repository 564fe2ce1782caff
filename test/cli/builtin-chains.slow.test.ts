import { describe, expect, onTestFinished, test } from "vitest";
import { sandboxStatus } from "../../src/builtin/index.ts";
import { loopbackSite } from "../support/loopback-site.ts";
import { type OpenAiServer, type ServerAnswer, openAiServer } from "../support/openai-server.ts";
import { writeFiles } from "../support/workspace.ts";
import { requestTool, writingAnswers } from "../support/writing-answers.ts";
import { folder, printedBy, windlass } from "./windlass.ts";

const corpus = {
  "corpus/tide-mills.md": `# Tide mills

A tide mill keeps the flood behind a dam. At the ebb the water drives the wheel. Tide mills worked twice a day.

## Decline

Steam made tide mills dear. The last working tide mill of the Thames closed in 1941.
`,
  "corpus/woodbridge.md": `# Woodbridge

The tide mill of Woodbridge was built in 1793. It grinds flour to this day.
`,
  "corpus/rope.md": "# Rope\n\nHemp rope shrinks when it is wet. Sailors splice it.\n",
};

const offline = { ...corpus, "windlass.yaml": "search: { corpus: corpus }\n" };

interface Step {
  readonly id: string;
  readonly status: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly output?: unknown;
}

/** The execution log of a chain. */
interface Log {
  readonly status: string;
  readonly output: Readonly<Record<string, unknown>>;
  readonly steps: readonly Step[];
  readonly total_tokens: number;
}

/** Runs a chain, and returns its log. */
async function runChain(chain: string, input: object, options: Parameters<typeof windlass>[1]): Promise<Log> {
  return printedBy(await windlass(["run", chain, "--input", JSON.stringify(input), "--json"], options)) as Log;
}

function statuses({ steps }: Log): Record<string, string> {
  return Object.fromEntries(steps.map(({ id, status }) => [id, status]));
}

function stepOf({ steps }: Log, id: string): Step {
  const step = steps.find((one) => one.id === id);
  if (step === undefined) throw new Error(`there is no step ${id}`);
  return step;
}

interface Recalled {
  readonly results: readonly {
    title: string;
    url: string;
    snippet: string;
    type?: string;
    metadata: { sources?: string[] };
  }[];
}

async function recall(query: string, cwd: string): Promise<Recalled["results"]> {
  const run = await windlass(["call", "memory_recall", `query=${query}`], { cwd });
  return (printedBy(run) as Recalled).results;
}

describe.concurrent("[A17] research-summarize-store, without a network", () => {
  test("prints a summary with its sources, and another process finds it in memory", async () => {
    const cwd = await folder(offline);
    const { code, stdout, stderr } = await windlass(["run", "research-summarize-store", "topic=tide mills"], { cwd });
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("succeeded") as string });
    const printed = JSON.parse(stdout) as { summary: string; memory_id: string; sources_count: number };
    expect(printed.summary).toContain("- At the ebb the water drives the wheel.");
    expect(printed.summary).toMatch(/\n\nSources:\n- Tide mills: corpus:tide-mills\.md$/);
    expect(printed.summary).not.toContain("Hemp");
    expect(printed.sources_count).toBe(1);

    const [found] = await recall("the wheel of a tide mill", cwd);
    expect(found).toMatchObject({
      url: `memory:${printed.memory_id}`,
      snippet: expect.stringContaining("drives the wheel") as string,
      metadata: { topic: "tide mills", type: "research", sources: expect.any(Array) as string[] },
    });
    // The search finds more; the summary uses these.
    expect(found?.metadata.sources).toEqual(["corpus:tide-mills.md"]);
    const read = await windlass(["call", "web_fetch", `url=${found?.url}`], { cwd });
    expect((JSON.parse(read.stdout) as { content: string }).content).toBe(printed.summary);
  });

  test("the same research again is stored once", async () => {
    const cwd = await folder(offline);
    const first = await runChain("research-summarize-store", { topic: "rope" }, { cwd });
    const again = await runChain("research-summarize-store", { topic: "rope" }, { cwd });
    expect(again.output["memory_id"]).toBe(first.output["memory_id"]);
    expect(await recall("rope", cwd)).toHaveLength(1);
  });

  test("without search results, nothing is summarized or stored, and the run succeeds", async () => {
    const cwd = await folder(offline);
    const log = await runChain("research-summarize-store", { topic: "zeppelin" }, { cwd });
    expect(log.status).toBe("success");
    expect(statuses(log)).toEqual({ search: "success", fetch: "skipped", summarize: "skipped", store: "skipped" });
    const message = 'Nothing was found for "zeppelin"; try other words, or fewer.';
    expect(log.output).toEqual({ summary: null, memory_id: null, sources_count: 0, message });
    expect(await recall("zeppelin", cwd)).toEqual([]);
  });

  test("without a search provider, memory is used instead", async () => {
    const cwd = await folder();
    const content = "Tide mills grind when the flood has gone. They rest at high water.";
    await windlass(["call", "memory_store", `content=${content}`], { cwd });
    const { code, stdout, stderr } = await windlass(["run", "research-summarize-store", "topic=tide mills"], { cwd });
    expect(code).toBe(0);
    expect(stderr).toContain("fallback memory_recall is used");
    expect(stderr).toContain("WINDLASS_SEARXNG_URL");
    const { summary, ...rest } = JSON.parse(stdout) as { summary: string };
    expect(summary).toContain("- Tide mills grind when the flood has gone.");
    expect(summary).toMatch(/: memory:mem-\w+$/);
    expect(rest).toMatchObject({
      sources_count: 1,
      message: "The web could not be searched; the summary is of what memory knows.",
    });
  });

  test("without a search provider and memories, it fails and says what to configure", async () => {
    const cwd = await folder();
    const { code, stdout, stderr } = await windlass(["run", "research-summarize-store", "topic=tide mills"], { cwd });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("error: search: no search provider is set up");
    expect(stderr).toContain("WINDLASS_CORPUS (or search.corpus in windlass.yaml)");
    // As a model sees it that calls the chain as a tool.
    const call = await windlass(["call", "research-summarize-store", "topic=tide mills"], { cwd });
    expect(call.code).toBe(1);
    expect(call.stderr).toContain("no search provider is set up");
    expect(call.stderr).not.toContain("Nothing was found");
  });
});

/** A search engine and its pages: finds what the query names, in that order. */
async function web(): Promise<{ cwd: string }> {
  const site = await loopbackSite(({ url = "/" }, response) => {
    const { pathname, searchParams } = new URL(url, site.origin);
    const html = { "content-type": "text/html" };
    if (pathname === "/search" && searchParams.get("q") === "blocked") response.writeHead(403).end();
    else if (pathname === "/search") {
      const names = (searchParams.get("q") ?? "").split(" ");
      const results = names.map((name) => ({ title: name, url: `${site.origin}/${name}`, content: "tides and mills" }));
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ results }));
    } else if (pathname === "/app") response.writeHead(200, html).end("<title>My App</title><div id=root></div>");
    else if (pathname === "/paper") response.writeHead(200, { "content-type": "application/pdf" }).end("%PDF-1.4");
    else if (pathname === "/mills")
      response.writeHead(200, html).end("<title>Mills</title><p>Tide mills grind at the ebb.");
    else response.writeHead(404).end();
  });
  onTestFinished(site.close);
  const host = `127.0.0.1:${site.port}`;
  const settings = `search: { searxng_url: "${site.origin}" }\nnetwork: { allow: ["${host}"] }\n`;
  return { cwd: await folder({ "windlass.yaml": settings }) };
}

describe("[A17] research-summarize-store, over the web", () => {
  test.each(["app mills", "gone mills", "paper gone mills"])(
    "it reads the first readable result of %s",
    async (topic) => {
      const { cwd } = await web();
      const log = await runChain("research-summarize-store", { topic }, { cwd });
      expect(statuses(log)).toMatchObject({ fetch: "recovered", summarize: "success", store: "success" });
      expect(log.output).toMatchObject({ summary: expect.stringContaining("grind at the ebb"), sources_count: 1 });
      expect((await recall("ebb", cwd))[0]?.metadata.sources).toEqual([expect.stringMatching(/\/mills$/)]);
    },
  );

  test.each([
    ["app", "error: fetch: the page contains no text"],
    ["blocked", "error: search: SearXNG answered 403"],
  ])("it stores nothing if there is only %s, and says why", async (topic, error) => {
    const { cwd } = await web();
    const { code, stdout, stderr } = await windlass(["run", "research-summarize-store", `topic=${topic}`], { cwd });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(error);
    expect(await recall("my app page", cwd)).toEqual([]);
  });
});

describe.concurrent("[A17] research-chain, without a network", () => {
  test("reads all pages found, summarizes them with their sources, and stores the summary", async () => {
    const cwd = await folder(offline);
    const log = await runChain("research-chain", { query: "tide mill" }, { cwd });
    expect(statuses(log)).toEqual({ search: "success", fetch_all: "success", summarize: "success", store: "success" });
    const { summarize, store } = log.output as { summarize: string; store: string };
    expect(summarize).toContain("## Tide mills");
    expect(summarize).toContain("## Woodbridge");
    expect(summarize).toContain("- Tide mills: corpus:tide-mills.md");
    expect(summarize).toContain("- Woodbridge: corpus:woodbridge.md");
    expect(summarize).not.toContain("Hemp");
    expect(log.total_tokens).toBe(0);
    const found = await recall("Woodbridge flour", cwd);
    expect(found).toMatchObject([{ url: `memory:${store}`, type: "research" }]);
  });

  test("without search results it says so, stores nothing, and succeeds", async () => {
    const cwd = await folder(offline);
    const { code, stdout, stderr } = await windlass(["run", "research-chain", "query=zeppelin"], { cwd });
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("succeeded") as string });
    expect(JSON.parse(stdout)).toEqual({
      search: { results: [], provider: "corpus" },
      fetch_all: null,
      summarize: null,
      store: null,
      message: 'Nothing was found for "zeppelin"; try other words, or fewer.',
    });
    expect(await recall("zeppelin", cwd)).toEqual([]);
  });

  test("a custom chain without conditions and an output is valid too, and fails clearly", async () => {
    const plain = `name: plain-research
steps:
  - id: search
    tool: web_search
    params: { query: "\${input.query}", count: 5 }
  - id: fetch_all
    tool: parallel_fetch
    params: { urls: "\${steps.search.output[*].url}" }
  - id: summarize
    tool: llm_summarize
    params: { content: "\${steps.fetch_all.output}", style: "structured" }
  - id: store
    tool: memory_store
    params: { content: "\${steps.summarize.output}", type: "research" }
`;
    const cwd = await folder({ ...offline, "chains/plain-research.yaml": plain });
    expect((await windlass(["validate"], { cwd })).code).toBe(0);
    expect((await runChain("plain-research", { query: "rope" }, { cwd })).status).toBe("success");
    const { code, stderr } = await windlass(["run", "plain-research", "query=zeppelin"], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain("error: summarize: there is nothing to work on: `content` is an empty list");
    expect(stderr).toContain("if it comes from a search, nothing was found");
    expect(await recall("zeppelin", cwd)).toEqual([]);
  });

  test("without a search provider it does not start and says what to configure", async () => {
    const { code, stderr } = await windlass(["run", "research-chain", "query=zeppelin"], { cwd: await folder() });
    expect(code).toBe(1);
    expect(stderr).toContain("error: research-chain was not started");
    expect(stderr).toContain("no search provider is set up");
    expect(stderr).toContain("WINDLASS_CORPUS (or search.corpus in windlass.yaml)");
  });
});

/** A model with the default answers, or these. */
async function modelWith(more: Readonly<Record<string, unknown>> = {}): Promise<OpenAiServer> {
  return openAiServer(({ messages }): ServerAnswer => {
    const answer = { ...writingAnswers, ...more }[requestTool(messages[0]?.content ?? "")];
    return typeof answer === "string" ? answer : { json: answer };
  });
}

/** Options that make the program use the server. */
async function workspaceWith({ baseUrl, host }: OpenAiServer): Promise<Parameters<typeof windlass>[1]> {
  const settings = `search: { corpus: corpus }\nnetwork: { allow: ["${host}"] }\n`;
  const env = { WINDLASS_MODEL_BASE_URL: baseUrl, WINDLASS_MODEL: "quay-1", WINDLASS_MODEL_API_KEY: "sk-loopback" };
  return { cwd: await folder({ ...corpus, "windlass.yaml": settings }), env };
}

/** Everything that a tool sent to the model, as one text. */
function requestedBy(tool: string, { requests }: OpenAiServer): string {
  const requested = requests.filter(({ body }) => requestTool(body.messages[0]?.content ?? "") === tool);
  return requested.flatMap(({ body }) => body.messages.map(({ content }) => content)).join("\n");
}

function whoRequested({ requests }: OpenAiServer): string[] {
  return requests.map(({ body }) => requestTool(body.messages[0]?.content ?? ""));
}

describe("[A17] write-chain, with a model", () => {
  const input = { topic: "tide mills", style: "essay" };

  test("a text that scores below 8 is revised as the review suggests", async () => {
    const model = await modelWith();
    const options = await workspaceWith(model);
    const log = await runChain("write-chain", input, options);
    expect(statuses(log)).toEqual({
      outline: "success",
      research: "success",
      "research/search": "success",
      "research/fetch_all": "success",
      "research/summarize": "success",
      "research/store": "success",
      write: "success",
      review: "success",
      revise: "success",
    });
    expect(stepOf(log, "review").output).toMatchObject({ score: 6 });
    expect(log.output["revise"]).toMatchObject({
      title: "Tide mills",
      content: expect.stringContaining("Steam was cheaper") as string,
    });
    // The first two steps run in parallel.
    expect(whoRequested(model).slice(0, 2).toSorted()).toEqual(["llm_summarize", "outline_generator"]);
    expect(whoRequested(model).slice(2)).toEqual(["content_writer", "content_reviewer", "content_reviser"]);
    expect(requestedBy("content_writer", model)).toContain("Tide mills store the flood and use it at the ebb [1].");
    expect(requestedBy("content_reviser", model)).toContain("Say why they disappeared.");
    for (const { path, headers, body } of model.requests) {
      expect(path).toBe("/v1/chat/completions");
      expect(headers.authorization).toBe("Bearer sk-loopback");
      expect(body.model).toBe("quay-1");
    }
    expect(log.total_tokens).toBe(5 * 150);

    // The nested research chain stores its summary here too.
    expect(await recall("tide mills", options.cwd)).toMatchObject([{ type: "research" }]);
  });

  test("a text that scores 8 is not revised", async () => {
    const model = await modelWith({ content_reviewer: { score: 8, feedback: "Good.", problems: [] } });
    const log = await runChain("write-chain", input, await workspaceWith(model));
    expect(log.status).toBe("success");
    expect(statuses(log)).toMatchObject({ review: "success", revise: "skipped" });
    expect(whoRequested(model)).not.toContain("content_reviser");
    expect(log.output["write"]).toMatchObject({ title: "Tide mills", words: 12 });
  });

  test("without search results for the topic, the writer is informed and writes from the outline", async () => {
    const model = await modelWith();
    const log = await runChain("write-chain", { ...input, topic: "zeppelins" }, await workspaceWith(model));
    expect(log.status).toBe("success");
    expect(statuses(log)).toMatchObject({
      "research/search": "success",
      "research/summarize": "skipped",
      write: "success",
    });
    expect(requestedBy("content_writer", model)).toContain("Nothing was found for");
    expect(whoRequested(model)).not.toContain("llm_summarize");
  });

  test("its tree shows the steps of the research below their step, and why the text was not revised", async () => {
    const model = await modelWith({ content_reviewer: { score: 9, feedback: "Good." } });
    const { cwd, env = {} } = await workspaceWith(model);
    const words = ["--input", JSON.stringify(input), "--run-id", "mills"];
    const { code } = await windlass(["run", "write-chain", ...words], { cwd, env });
    expect(code).toBe(0);
    const { stdout } = await windlass(["show", "mills"], { cwd });
    const steps = stdout.split("\n").filter((line) => /^ +[✓–✗]/.test(line));
    expect(steps.map((line) => line.replace(/ +[\d.]+ m?s$/, ""))).toEqual([
      "  ✓ outline      outline_generator",
      "  ✓ research     research-chain",
      "  ✓   search     web_search",
      "  ✓   fetch_all  parallel_fetch",
      "  ✓   summarize  llm_summarize",
      "  ✓   store      memory_store",
      "  ✓ write        content_writer",
      "  ✓ review       content_reviewer",
      expect.stringMatching(/^ {2}– revise {7}content_reviser .*score < 8\} did not hold$/),
    ]);
  });

  test("a prompt of the workspace with a wrong placeholder is reported with its position, and no request is sent", async () => {
    const model = await modelWith();
    const { cwd, env = {} } = await workspaceWith(model);
    await writeFiles(cwd, { "prompts/outline_generator.md": "Plan it.\n\n---\n\nAbout {{topik}}.\n" });
    const { code, stderr } = await windlass(["call", "outline_generator", "topic=mills"], { cwd, env });
    expect(code).toBe(1);
    expect(stderr).toContain(
      "prompts/outline_generator.md:5: there is no input {{topik}} (did you mean {{topic}}?). " +
        "The inputs of this prompt are {{topic}}, {{style}}, {{audience}}, {{sections}}, {{language}}",
    );
    expect(model.requests).toEqual([]);
  });

  test("without a model the chain does not start and says what to configure", async () => {
    const { code, stderr } = await windlass(["run", "write-chain", "--input", JSON.stringify(input)], {
      cwd: await folder(offline),
    });
    expect(code).toBe(1);
    expect(stderr).toContain("error: write-chain was not started");
    expect(stderr).toContain("outline (outline_generator), write (content_writer)");
    expect(stderr).toContain("WINDLASS_MODEL_BASE_URL");
  });

  test("a local model is used if the environment names it, and tools cannot reach it", async () => {
    const model = await modelWith();
    const { env = {} } = await workspaceWith(model);
    const cwd = await folder(offline);
    const { code } = await windlass(["run", "write-chain", "--input", JSON.stringify(input)], { cwd, env });
    expect(code).toBe(0);
    const requested = model.requests.length;
    expect(requested).toBeGreaterThan(0);
    const url = env["WINDLASS_MODEL_BASE_URL"] ?? "";
    const called = await windlass(["call", "http_request", `url=${url}`], { cwd, env });
    expect(called.code).toBe(1);
    expect(called.stderr).toContain("permission_denied");
    expect(model.requests).toHaveLength(requested);
  });
});

const sandbox = await sandboxStatus();

/** Code with an error that one of its tests finds. */
const careless = {
  language: "typescript",
  files: [
    {
      path: "leap-year.ts",
      content: "export function isLeapYear(year: number): boolean {\n  return year % 4 === 0;\n}\n",
    },
  ],
  tests: [
    {
      path: "leap-year.test.ts",
      content: `import test from "node:test";
import assert from "node:assert";
import { isLeapYear } from "./leap-year.ts";
test("2024 is a leap year", () => assert.equal(isLeapYear(2024), true));
test("1900 is none", () => assert.equal(isLeapYear(1900), false));
`,
    },
  ],
  notes: "",
};

const careful = {
  ...careless,
  files: [
    {
      path: "leap-year.ts",
      content:
        "export const isLeapYear = (year: number): boolean =>\n  year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);\n",
    },
  ],
};

describe("[A17] dev-chain, with a model", () => {
  const input = { requirements: "Tell leap years from others.", language: "typescript" };

  test.skipIf(!sandbox.available)("a failing test reaches the review, and its findings are fixed", async () => {
    const model = await modelWith({ code_generator: careless });
    const log = await runChain("dev-chain", input, await workspaceWith(model));
    expect(statuses(log)).toEqual({
      design: "success",
      code: "success",
      test: "success",
      review: "success",
      fix: "success",
    });
    expect(stepOf(log, "test").output).toMatchObject({
      passed: 1,
      failed: 1,
      total: 2,
      failures: [{ name: "1900 is none" }],
      coverage: { lines: expect.any(Number) as number },
    });
    expect(requestedBy("code_generator", model)).toContain("One pure function.");
    expect(requestedBy("code_reviewer", model)).toContain("1900 is none");
    expect(requestedBy("code_fixer", model)).toContain("1900 counts as a leap year.");
    expect(JSON.stringify(log.output["fix"])).toContain("y % 400 === 0");
    expect(whoRequested(model)).toEqual(["llm_design", "code_generator", "code_reviewer", "code_fixer"]);
  });

  test.skipIf(!sandbox.available)("code without review findings is not revised", async () => {
    const model = await modelWith({
      code_generator: careful,
      code_reviewer: { issues: [], summary: "Nothing to mend.", approved: true },
    });
    const log = await runChain("dev-chain", input, await workspaceWith(model));
    expect(log.status).toBe("success");
    expect(stepOf(log, "test").output).toMatchObject({ passed: 2, failed: 0, coverage: { lines: 100 } });
    expect(statuses(log)).toMatchObject({ review: "success", fix: "skipped" });
    expect(whoRequested(model)).not.toContain("code_fixer");
  });

  test.skipIf(sandbox.available)("without a sandbox the chain ends at the tests and says what to install", async () => {
    const model = await modelWith({ code_generator: careful });
    const { cwd, env = {} } = await workspaceWith(model);
    const run = await windlass(["run", "dev-chain", "--input", JSON.stringify(input)], { cwd, env });
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/error: test: .*sandbox/);
  });
});
