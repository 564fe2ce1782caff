import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type ModelServer, modelServer } from "../testing.ts";
import { openWorkspace } from "./open-workspace.ts";
import type { Workspace } from "./workspace.ts";
import { parseWorkspace } from "./parse-workspace.ts";

const open: { readonly workspaces: Workspace[]; readonly servers: ModelServer[]; readonly dirs: string[] } = {
  workspaces: [],
  servers: [],
  dirs: [],
};
afterAll(async () => {
  for (const workspace of open.workspaces) await workspace.close();
  for (const server of open.servers) await server.close();
  for (const dir of open.dirs) await rm(dir, { recursive: true, force: true });
});

async function workspaceWith(script: Parameters<typeof modelServer>[0], agent = ""): Promise<Workspace> {
  const server = await modelServer(script);
  const dir = await mkdtemp(join(tmpdir(), "windlass-agents-"));
  open.servers.push(server);
  open.dirs.push(dir);
  const models = `models: { default: { base_url: "${server.baseUrls.openai}", model: test } }`;
  await writeFile(join(dir, "windlass.yaml"), `${models}\n${agent}\n`);
  return opened(dir);
}

async function opened(dir: string): Promise<Workspace> {
  const workspace = await openWorkspace(dir, { reload: false });
  open.workspaces.push(workspace);
  return workspace;
}

const write = { toolCalls: [{ name: "write_file", args: { path: "a.txt", content: "x" }, id: "c1" }] };

describe("agents of a workspace", () => {
  test("work with its tools and models, as the settings say and options say otherwise", async () => {
    const workspace = await workspaceWith(
      [{ toolCalls: [{ name: "calculator", args: { expression: "1+2" } }] }, "3", "hm"],
      "agent: { max_rounds: 7, result_chars: 500, trusted_tools: [calculator], options: { folder: docs } }",
    );
    const agent = await workspace.agent({ maxParallel: 2 });
    expect(agent.spec).toMatchObject({
      runner: "autonomous",
      maxRounds: 7,
      maxParallel: 2,
      resultChars: 500,
      trustedTools: ["calculator"],
      options: { folder: "docs" },
      contextTokens: 100_000,
    });
    expect(await agent.run("1+2?")).toMatchObject({ status: "completed", answer: "3" });
    const plain = await workspace.agent({ runner: "llm" });
    expect(await plain.run("?")).toMatchObject({ answer: "hm", toolUsageSummary: { totalCalls: 0 } });
    await expect(workspace.agent({ runner: "atonomous" })).rejects.toThrow("did you mean autonomous?");
  });

  test("keep their runs in the journal, beside those of chains, which leave them alone", async () => {
    const workspace = await workspaceWith([write, "Written."]);
    const agent = await workspace.agent();
    const { runId, status } = await agent.run("Write it.");
    expect(status).toBe("waiting");
    const { runs: chains } = workspace;
    for (const way of ["resume", "join", "inspect", "rerun"] as const) {
      await expect(chains[way](runId)).rejects.toThrow("is a run of an agent");
    }
    // It is released unchanged: another process resumes it.
    const other = await opened(workspace.dir);
    const [approval] = await other.approvals.list("pending");
    await other.approvals.decide(approval?.id ?? "", { approved: true });
    const runs = await other.agents();
    expect(await runs.resume(runId)).toMatchObject({ status: "completed", answer: "Written." });
    await expect(runs.resume("nope")).rejects.toThrow("there is no run");
  });

  test("a custom runner is known by its name once it was used", async () => {
    const workspace = await workspaceWith([]);
    const echo = {
      name: "echo",
      worksWithoutModel: true,
      // oxlint-disable-next-line require-yield -- this runner requests nothing
      *run(_run: unknown, { text }: { readonly text: string }): Generator<never, { answer: string }> {
        return { answer: text };
      },
    };
    const agent = await workspace.agent({ runner: echo });
    const { runId, answer } = await agent.run("Again?");
    expect(answer).toBe("Again?");
    expect(await (await workspace.agents()).inspect(runId)).toMatchObject({ answer: "Again?", runner: "echo" });
    expect(await (await workspace.agent({ runner: "echo" })).run("And by name?")).toMatchObject({ runner: "echo" });
    expect((await workspace.agent({ runner: echo })).spec.runner).toBe("echo");
    const other = { ...echo };
    await expect(workspace.agent({ runner: other })).rejects.toThrow('already has another runner "echo"');
    const vault = { ...echo, name: "vault" };
    await expect(workspace.agent({ runner: vault })).rejects.toThrow('a runner named "vault" already exists');
  });

  test("one that is closed does not stop the others", async () => {
    const workspace = await workspaceWith(["A", "B"]);
    const [one, other] = [await workspace.agent(), await workspace.agent()];
    expect(await one.run("a")).toMatchObject({ answer: "A" });
    await one.close();
    expect(await other.run("b")).toMatchObject({ answer: "B" });
  });

  test("use a local model if the settings name it, and their tools cannot reach it", async () => {
    const fetching = { name: "http_request", args: {} as Record<string, unknown>, id: "c1" };
    const workspace = await workspaceWith([{ toolCalls: [fetching] }, "Refused."], "agent: { tools: [http_request] }");
    const [server] = open.servers.slice(-1);
    fetching.args["url"] = server?.baseUrls.openai;
    expect(await (await workspace.agent()).run("Fetch it.")).toMatchObject({ answer: "Refused." });
    const { records } = await workspace.engine.queryRecords({});
    expect(records).toMatchObject([{ tool: "http_request", success: false, error: { reason: "ssrf_ip" } }]);
    expect(server?.requests).toHaveLength(2);
  });

  test.each(["localSearch", "local_search", "webSearch"])(
    "[U13] %s in trusted_tools needs no warning",
    async (name) => {
      const workspace = await workspaceWith(
        [],
        `agent: { trusted_tools: [${name}] }\nchains: { trusted_tools: [${name}] }`,
      );
      expect(workspace.problems()).toEqual([]);
    },
  );

  test.each([
    ["tools: [calculater]", 'there is no tool "calculater"', 'did you mean "calculator"?'],
    ["tools: [nosuch]", 'there is no tool "nosuch"', "windlass tools lists the names"],
    ['tools: ["nosuch_*"]', 'no tool is called like "nosuch_*"', "windlass tools lists the names"],
    ["trusted_tools: [calculater]", 'there is no tool "calculater"', 'did you mean "calculator"?'],
    ["trusted_tools: ['capability:search']", '"capability:search" is a capability', "write "],
    ["options: { tools: [calculater] }", 'there is no tool "calculater"', 'did you mean "calculator"?'],
    ["options: { commands: { tide: { tool: high_water } } }", 'there is no tool "high_water"', "windlass tools lists"],
    ["options: { commands: { sum: calculater } }", 'there is no tool "calculater"', 'did you mean "calculator"?'],
    ["options: { commands: { find: search } }", '"search" is a capability', 'write "capability:search"'],
    ["options: { commands: { find: 'capability:nope' } }", 'no tool has "capability:nope"', "windlass tools"],
    [
      "options: { commands: { 'x y': echo } }",
      'the command "x y" cannot be used: its name is not a valid word',
      "no blanks",
    ],
    ["options: { commands: { x: { params: {} } } }", "it names no tool", "write x: { tool: …"],
    ["options: { commands: { x: { tool: echo, params: 1 } } }", "its params are not a map", "write params: { … }"],
    ["options: { commands: [echo] }", "commands is not a map of names to tools", "write commands: { NAME: { tool: …"],
    ["options: { foldre: x }", 'no runner has an option "foldre"', 'did you mean "folder"?'],
    ["options: { maxSteps: 3 }", "maxSteps is the old name", "write max_steps"],
    ["options: { maxSteps: 3, max_steps: 2 }", "max_steps is used instead of maxSteps", "write max_steps"],
  ])("unknown names produce a warning: %s", async (agent, message, hint) => {
    const workspace = await workspaceWith([], `agent: { ${agent} }`);
    expect(workspace.problems()).toMatchObject([
      { severity: "warning", line: 2, message: expect.stringContaining(message), hint: expect.stringContaining(hint) },
    ]);
  });

  test.each([
    ["max_steps: many", "max_steps is not a whole number, 1 or more, and is not used"],
    ["answer: lst", 'answer is not "auto" or "model" or "last", and is not used'],
    ["limit: 0", "limit is not a whole number, 1 or more, and is not used"],
    ["mode: loop", 'mode is not "planned" or "autonomous", and is not used'],
    ["budget: lots", "budget is not a number of tokens, and is not used"],
    ["tools: [1]", "tools is not a list of texts, and is not used"],
  ])("options that a runner cannot use are warned about: %s", async (options, message) => {
    const workspace = await workspaceWith([], `agent: { options: { ${options} } }`);
    expect(workspace.problems()).toMatchObject([{ severity: "warning", line: 2, message }]);
  });

  test("options are written as all other keys are, and read as the runner has them", () => {
    const read = (options: string) =>
      parseWorkspace(`agent: { options: { ${options} } }`, "windlass.yaml").config.agent;
    expect(read("max_steps: 2, answer: last").options).toEqual({ maxSteps: 2, answer: "last" });
    expect(read("maxSteps: 2").options).toEqual({ maxSteps: 2 });
    expect(read("max_steps: 2, maxSteps: 3").options).toEqual({ maxSteps: 2 });
    expect(read("maxSteps: 3, max_steps: 2").options).toEqual({ maxSteps: 2 });
    expect(read("maxSteps: 3, max_steps: ~").options).toEqual({ maxSteps: 3 });
    expect(read("max_steps: ~, commands: { a_b: { tool: x, params: { c_d: 1 } } }").options).toEqual({
      commands: { a_b: { tool: "x", params: { c_d: 1 } } },
    });
    expect(read("of_my_own: 1").options).toEqual({ of_my_own: 1 });
  });

  test("known names, including aliases of tools, produce no warning and work", async () => {
    const agent =
      'agent: { tools: [webFetch, "read_*"], trusted_tools: ["read_*"], options: { folder: x, commands: ' +
      "{ web2: webSearch, '@sum': { tool: calculator, params: { expression: '${text}' } }, 周报: 'capability:search' } } }";
    const workspace = await workspaceWith(["Done."], agent);
    expect(workspace.problems()).toEqual([]);
    await (await workspace.agent()).run("?");
    const [server] = open.servers.slice(-1);
    const offered = JSON.stringify(server?.requests[0]?.body["tools"]);
    expect(offered).toContain('"web_fetch"');
    expect(offered).not.toContain('"calculator"');
  });

  test("agents without a model explain what to set, for the keys that exist", async () => {
    const dir = await mkdtemp(join(tmpdir(), "windlass-agents-"));
    open.dirs.push(dir);
    const workspace = await openWorkspace(dir, { reload: false, env: { ANTHROPIC_API_KEY: "sk-of-anthropic-0001" } });
    open.workspaces.push(workspace);
    await expect((await workspace.agent()).run("?")).rejects.toThrow("export WINDLASS_MODEL_PROVIDER=anthropic");
    const design = await workspace.engine.call("llm_design", { requirements: "x" });
    expect(design).toMatchObject({ error: { message: expect.stringContaining("WINDLASS_MODEL_PROVIDER=anthropic") } });
    expect(workspace.engine.redactor.text("it is sk-of-anthropic-0001")).not.toContain("anthropic-0001");
  });

  test.each([
    ["agent: { runner: atonomous }", "autonomous"],
    ["agent: { max_rounds: -1 }", "max_rounds"],
    ["agent: { token_budget: 0 }", "token_budget"],
    ["agent: { rounds: 3 }", "rounds"],
    [
      "agent: { model: fats }\nmodels: { fast: { base_url: 'http://127.0.0.1:1/v1', model: x } }",
      'did you mean "fast"?',
    ],
  ])("invalid settings are reported: %s", (text, reported) => {
    const { problems } = parseWorkspace(text, "windlass.yaml");
    expect(JSON.stringify(problems)).toContain(JSON.stringify(reported).slice(1, -1));
  });
});
