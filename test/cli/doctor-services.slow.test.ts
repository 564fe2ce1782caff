import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { writeFile } from "node:fs/promises";
import { afterEach, describe, expect, test } from "vitest";
import { sandboxStatus } from "../../src/builtin/index.ts";
import { openAiServer } from "../support/openai-server.ts";
import { type RunOptions, folder, printedBy, windlass } from "./windlass.ts";

interface Finding {
  readonly about: string;
  readonly status: string;
  readonly message: string;
  readonly todo?: string;
}

/** Findings of `doctor` about one subject, and its exit code. */
async function examined(about: string, options: RunOptions, ...words: readonly string[]) {
  const run = await windlass(["doctor", "--json", ...words], options);
  const { ok, findings } = printedBy(run) as { ok: boolean; findings: Finding[] };
  return { ok, found: findings.filter((finding) => finding.about === about) };
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A search engine with SearXNG's protocol, and the queries it received. */
async function searchEngine(status: number): Promise<{ host: string; requested: string[] }> {
  const requested: string[] = [];
  const server = createServer((request, response) => {
    requested.push(request.url ?? "");
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ results: [{ title: "Water", url: "https://example.org/water", content: "wet" }] }));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  closing.push(
    () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  );
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, requested };
}

describe.concurrent("windlass doctor checks the services", () => {
  test("an unconfigured service is off, with a line that says what to do, and is not a problem", async () => {
    const { code, stdout } = await windlass(["doctor"], { cwd: await folder() });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^off {3}model .*llm_summarize quotes instead.*\n +none is configured; set one.*\n +export WINDLASS_MODEL_BASE_URL=http/m,
    );
    expect(stdout).toMatch(
      /^off {3}search .*web_search is unavailable\n +set one of WINDLASS_SEARXNG_URL, .*WINDLASS_CORPUS/m,
    );
    expect(stdout).toMatch(/^ok {4}notes +local_search searches \.$/m);
    expect(stdout).toMatch(/^ok {4}memory +nothing yet; memory_store creates it$/m);
    expect(stdout).toMatch(/^(?:ok|off) +sandbox /m);
    expect(stdout).toMatch(/^No problems found\. Not configured: model, search, (?:sandbox, )?agent\.$/m);
  });

  test("the sandbox is tested", async () => {
    const status = await sandboxStatus();
    const { found } = await examined("sandbox", { cwd: await folder() });
    expect(found).toEqual([
      status.available
        ? { about: "sandbox", status: "ok", message: "test_runner can run tests" }
        : { about: "sandbox", status: "off", message: "none; test_runner is not available", todo: status.message },
    ]);
  });

  test.each([
    [{ WINDLASS_MODEL: "quay-1" }, "set WINDLASS_MODEL_BASE_URL"],
    [{ WINDLASS_MODEL: "quay-1", WINDLASS_MODEL_BASE_URL: "quay" }, "is not the address of a model server"],
  ])("half a model, %j, is a failure", async (env, message) => {
    const cwd = await folder();
    const { ok, found } = await examined("model", { cwd, env });
    expect(ok).toBe(false);
    expect(found).toMatchObject([{ status: "fail", message: expect.stringContaining(message) as string }]);
    // It does not affect calls that need no model.
    expect(await windlass(["call", "echo", "message=1"], { cwd, env })).toMatchObject({ code: 0 });
    const call = await windlass(["call", "llm_design", "requirements=x"], { cwd, env });
    expect(call).toMatchObject({ code: 1, stderr: expect.stringContaining("[not_available: no_model]") as string });
    expect(call.stderr).toContain(message);
  });

  test("an existing key, and models without a default, are reported with what to do", async () => {
    const keyed = await examined("model", { cwd: await folder(), env: { GEMINI_API_KEY: "k" } });
    expect(keyed.found).toMatchObject([
      {
        status: "off",
        todo: expect.stringContaining("export WINDLASS_MODEL_PROVIDER=google WINDLASS_MODEL=") as string,
      },
    ]);
    const models = 'models: { fast: { base_url: "http://127.0.0.1:9/v1", model: x } }\n';
    const named = await examined("agent", { cwd: await folder({ "windlass.yaml": models }) });
    expect(named.found).toMatchObject([{ status: "off", todo: expect.stringContaining("--model fast") as string }]);
  });

  test("a service that needs a key is not used without one, and the variable is named", async () => {
    const cwd = await folder();
    const env = { WINDLASS_MODEL_PROVIDER: "anthropic", WINDLASS_MODEL: "claude-sonnet-4-5" };
    const { ok, found } = await examined("model", { cwd, env }, "--network");
    expect(ok).toBe(true);
    expect(found).toEqual([
      {
        about: "model",
        status: "warn",
        message: '"claude-sonnet-4-5" at api.anthropic.com has no key and is not used without one',
        todo: "set ANTHROPIC_API_KEY or WINDLASS_MODEL_API_KEY",
      },
    ]);
    expect((await examined("agent", { cwd, env })).found).toMatchObject([{ status: "off" }]);
    const result = await windlass(["ask", "hi"], { cwd, env });
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining("[not_available: no_key]") as string });
    expect(result.stderr).toContain("ANTHROPIC_API_KEY");
  });

  test("a secret without a value is reported with where to set it", async () => {
    const models = 'models: { default: { provider: anthropic, model: m, api_key: "${secret.CLAUDE}" } }\n';
    const cwd = await folder({ "windlass.yaml": `${models}secrets: { CLAUDE: { env: MY_CLAUDE_KEY } }\n` });
    const text =
      "models.default.api_key is the secret CLAUDE, which has no value: set the environment variable MY_CLAUDE_KEY";
    expect((await examined("model", { cwd })).found).toMatchObject([{ status: "fail", message: text }]);
    expect((await windlass(["ask", "hi"], { cwd })).stderr).toContain(text);
  });

  test("[F17] a key that is not in a secret is reported without repeating its value", async () => {
    const cwd = await folder({
      "windlass.yaml":
        'models: { default: { base_url: "http://127.0.0.1:9/v1", model: quay-1, api_key: sk-not-a-name } }\n',
    });
    const { stdout, stderr } = await windlass(["doctor"], { cwd });
    expect(stdout + stderr).toMatch(
      /windlass\.yaml:1:\d+: .*names no secret, and a key itself must not be written here/,
    );
    expect(stdout + stderr).not.toContain("sk-not-a-name");
    for (const [source, position] of [
      ['models: { default: { model: m, api_key: "sk-not-a-name" } }\n', "1:41"],
      ["models:\n  default:\n    api_key: >\n      sk-not-a-name\n    model: m\n", "3:14"],
    ] as const) {
      await writeFile(join(cwd, "windlass.yaml"), source);
      const validated = await windlass(["validate"], { cwd });
      expect(validated).toMatchObject({ code: 2, stdout: "" });
      expect(validated.stderr).toContain(`windlass.yaml:${position}: error: this names no secret`);
      expect(validated.stderr).toContain("•••••••••••••");
      expect(validated.stderr).not.toContain("sk-not-a-name");
    }
  });

  test("a listed provider without configuration, and missing folders, are warnings", async () => {
    const cwd = await folder({
      "windlass.yaml": "search: { providers: [brave, corpus], corpus: texts }\nvault: notes\n",
    });
    const search = await examined("search", { cwd });
    expect(search.ok).toBe(true);
    expect(search.found).toEqual([
      { about: "search", status: "ok", message: "web_search uses corpus" },
      {
        about: "search",
        status: "warn",
        message: "provider brave is listed but not configured",
        todo: "set WINDLASS_BRAVE_API_KEY (or search.brave_api_key in windlass.yaml)",
      },
      {
        about: "search",
        status: "warn",
        message: "the corpus folder texts does not exist",
        todo: "create it, or set another with search.corpus",
      },
    ]);
    const { found } = await examined("notes", { cwd });
    expect(found).toMatchObject([{ status: "warn", todo: "create it, or set another with vault: in windlass.yaml" }]);
  });

  test.each([
    ["model", 'models: { default: { base_url: "http://169.254.169.254/v1", model: quay-1 } }\n', "169.254.169.254:80"],
    ["search", 'search: { searxng_url: "http://localhost:8888", corpus: . }\n', "localhost:8888"],
    ["search", 'search: { mediawiki_url: "http://wiki.internal/w/api.php" }\n', "wiki.internal:80"],
    ["weather", 'weather: { forecast_url: "http://10.0.0.8/v1/forecast" }\n', "10.0.0.8:80"],
  ])("a %s on a refused network is a failure, also without a request", async (about, settings, entry) => {
    const closed = await examined(about, { cwd: await folder({ "windlass.yaml": settings }) });
    expect(closed.ok).toBe(false);
    expect(closed.found.filter(({ status }) => status === "fail")).toMatchObject([
      { message: expect.stringMatching(/cannot be reached: .*to open it, add .* to network\.allow/) as string },
    ]);
    const open = `${settings}network: { allow: ["${entry}"] }\n`;
    expect(await examined(about, { cwd: await folder({ "windlass.yaml": open }) })).toMatchObject({ ok: true });
  });

  test("a damaged index of the notes is reported, and rebuilt by the next search", async () => {
    const cwd = await folder({ "tides.md": "At the half moons the range is small." });
    await windlass(["call", "local_search", "query=moons"], { cwd });
    expect((await examined("notes", { cwd })).found).toMatchObject([{ status: "ok" }]);
    await writeFile(join(cwd, ".windlass/index.db"), randomBytes(4096));
    expect((await examined("notes", { cwd })).found).toMatchObject([
      { status: "ok" },
      {
        status: "warn",
        message: "the index of the notes .windlass/index.db is damaged",
        todo: expect.stringContaining("rebuilt") as string,
      },
    ]);
    const { code, stdout } = await windlass(["call", "local_search", "query=moons"], { cwd });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("tides.md") as string });
    expect((await examined("notes", { cwd })).found).toMatchObject([{ status: "ok" }]);
  });

  test("memories are counted, and a file that is not a memory database is a failure", async () => {
    const cwd = await folder();
    await windlass(["call", "memory_store", "content=The quay closes at six"], { cwd });
    expect(await examined("memory", { cwd })).toMatchObject({
      ok: true,
      found: [{ message: expect.stringMatching(/^\.windlass\/memory\.db: 1 thing remembered, \d/) as string }],
    });
    const other = await folder({ ".windlass/.gitignore": "*\n" });
    await writeFile(join(other, ".windlass/memory.db"), "x".repeat(5000));
    expect(await examined("memory", { cwd: other })).toMatchObject({ ok: false, found: [{ status: "fail" }] });
  });
});

describe("windlass doctor --network sends a request to", () => {
  test("the model, with few tokens; without --network no request is sent", async () => {
    const { baseUrl, host, requests } = await openAiServer(() => "ok");
    const settings = `secrets: { KEY: env }\nmodels: { default: { base_url: "${baseUrl}", model: quay-1, api_key: "\${secret.KEY}" } }\nnetwork: { allow: ["${host}"] }\n`;
    const options = { cwd: await folder({ "windlass.yaml": settings }), env: { KEY: "sk-loopback" } };
    const { found } = await examined("model", options);
    expect(found).toMatchObject([{ status: "ok", message: `"quay-1" at ${host}; send a test request with --network` }]);
    expect(requests).toEqual([]);
    const requested = await examined("model", options, "--network");
    expect(requested).toMatchObject({ ok: true, found: [{ status: "ok", message: `"quay-1" at ${host} answers` }] });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.headers.authorization).toBe("Bearer sk-loopback");
    expect(requests[0]?.body.max_tokens).toBeLessThan(100);
  });

  test("a model that uses up its tokens on reasoning has responded", async () => {
    const { baseUrl, host } = await openAiServer(() => ({ text: "<think>hm", finish: "length" }));
    const cwd = await folder({ "windlass.yaml": `network: { allow: ["${host}"] }\n` });
    const env = { WINDLASS_MODEL_BASE_URL: baseUrl, WINDLASS_MODEL: "quay-1" };
    expect(await examined("model", { cwd, env }, "--network")).toMatchObject({ ok: true, found: [{ status: "ok" }] });
  });

  test.each([
    [{ status: 401 }, "set WINDLASS_MODEL_API_KEY"],
    [{ status: 404 }, "that the base URL ends where the protocol's path begins"],
  ])("a server that responds %j is a failure that says what to do", async (answer, todo) => {
    const { baseUrl, host, requests } = await openAiServer(() => answer);
    const cwd = await folder({ "windlass.yaml": `network: { allow: ["${host}"] }\n` });
    const env = { WINDLASS_MODEL_BASE_URL: baseUrl, WINDLASS_MODEL: "quay-1" };
    const { ok, found } = await examined("model", { cwd, env }, "--network");
    expect(ok).toBe(false);
    expect(found).toMatchObject([{ status: "fail", message: expect.stringContaining(todo) as string }]);
    expect(requests).toHaveLength(1);
  });

  test("a local model, which the settings need not allow", async () => {
    const { baseUrl, requests } = await openAiServer(() => "ok");
    const env = { WINDLASS_MODEL_BASE_URL: baseUrl, WINDLASS_MODEL: "quay-1" };
    const requested = await examined("model", { cwd: await folder(), env }, "--network");
    expect(requested).toMatchObject({ ok: true, found: [{ status: "ok" }] });
    expect(requests).toHaveLength(1);
  });

  test.each([
    [200, "ok", "searxng answers"],
    [403, "fail", "SearXNG answered 403"],
  ])("the search providers: one that responds %i is %s", async (status, expected, message) => {
    const { host, requested } = await searchEngine(status);
    const cwd = await folder({
      "windlass.yaml": `search: { searxng_url: "http://${host}", corpus: . }\nnetwork: { allow: ["${host}"] }\n`,
    });
    expect((await examined("search", { cwd })).found).toEqual([
      { about: "search", status: "ok", message: "web_search uses searxng, then corpus" },
    ]);
    expect(requested).toEqual([]);
    const { found } = await examined("search", { cwd }, "--network");
    expect(found).toMatchObject([
      { status: "ok" },
      { status: expected, message: expect.stringContaining(message) as string },
    ]);
    expect(requested).toHaveLength(1);
  });
});
