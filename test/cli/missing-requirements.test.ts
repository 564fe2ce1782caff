import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { effects, tracingTools } from "./chain-workspace.ts";
import { folder, windlass } from "./windlass.ts";

const search = `params: { query: "\${input.topic}" }`;

const workspace = {
  ...tracingTools,
  "windlass.yaml": "",
  "chains/brief.yaml": `name: brief
input: { topic: string }
steps:
  - { id: pay, tool: send, params: { to: ann } }
  - { id: search, tool: web_search, ${search} }
  - { id: outline, tool: outline_generator, params: { topic: "\${input.topic}" } }
  - { id: review, tool: content_reviewer, params: { content: "\${steps.outline.output.title}" } }
`,
  "chains/outer.yaml": `name: outer
steps:
  - { id: pay, tool: send, params: { to: ann } }
  - { id: inner, tool: brief, params: { topic: x } }
`,
  "chains/careful.yaml": `name: careful
input: { topic: string }
steps:
  - { id: pay, tool: send, params: { to: ann } }
  - { id: search, tool: web_search, ${search}, error_handling: { strategy: continue } }
output: { sent: "\${steps.pay.output.sent}" }
`,
  "chains/own.yaml": `name: own
durable: false
steps:
  - { id: pay, tool: send, params: { to: ann } }
  - { id: find, tool: find, params: { query: x } }
`,
  "tools/find.yaml": `name: find
description: Finds pages.
parameters: [{ name: query, type: string, required: true }]
entry: { type: builtin, handler: web_search }
`,
};

const missing = { code: "not_available", reason: "missing_requirement" };

describe.concurrent("[H25] a chain with a missing requirement", () => {
  test("fails before its first step, with each step, tool, reason and what to do", async () => {
    const cwd = await folder(workspace);
    const { code, stdout, stderr } = await windlass(["run", "brief", "topic=x", "--json"], { cwd });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ success: false, error: missing });
    expect(stderr).toMatch(
      /^error: brief was not started: .*cannot work here \[not_available: missing_requirement\]$/m,
    );
    expect(stderr).toMatch(/^ {2}- search \(web_search\): no search provider is set up; set up one of these:$/m);
    expect(stderr).toContain("WINDLASS_SEARXNG_URL");
    const model = /^ {2}- outline \(outline_generator\), review \(content_reviewer\): .*none is configured; set one/m;
    expect(stderr).toMatch(model);
    expect(stderr).toContain("export WINDLASS_MODEL_BASE_URL=");
    expect(await effects(cwd)).toEqual([]);
    expect(JSON.parse((await windlass(["runs", "--json"], { cwd })).stdout)).toEqual([]);
  });

  test.each([
    ["outer", "inner/search (web_search)"],
    ["own", "find (find)"],
  ])("fails as well if the step is in a called chain or its tool is a file: %s", async (name, step) => {
    const cwd = await folder(workspace);
    const { code, stdout } = await windlass(["run", name, "--json"], { cwd });
    expect(code).toBe(1);
    const message = expect.stringContaining(`- ${step}: no search provider is set up; set up`) as string;
    expect(JSON.parse(stdout)).toMatchObject({ error: { ...missing, message } });
    expect(await effects(cwd)).toEqual([]);
  });

  test("runs with a note if it can succeed without it", async () => {
    const cwd = await folder(workspace);
    const { code, stdout, stderr } = await windlass(["run", "careful", "topic=x"], { cwd });
    expect([code, JSON.parse(stdout)]).toEqual([0, { sent: true }]);
    expect(stderr).toMatch(/^note: search: web_search cannot work here: no search provider is set up$/m);
  });

  test("starts once it is supplied", async () => {
    const cwd = await folder(workspace);
    await mkdir(join(cwd, "corpus"));
    await writeFile(join(cwd, "corpus/x.md"), "# x\n\nAbout x.\n");
    const { code, stderr } = await windlass(["run", "own"], { cwd, env: { WINDLASS_CORPUS: "corpus" } });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("cannot work here")]);
    expect(await effects(cwd)).toHaveLength(1);
  });

  test("is marked by chains and chains show, with what to do", async () => {
    const cwd = await folder(workspace);
    const { stdout: table } = await windlass(["chains"], { cwd });
    expect(table).toMatch(/^own .*\[cannot run here: no search provider is set up\]/m);
    expect(table).toMatch(/^outer .*\[cannot run here: no search provider is set up; .*none is configured\]/m);
    expect(table).not.toMatch(/^careful .*cannot run/m);
    const shown = await windlass(["chains", "show", "own"], { cwd });
    expect(shown.stdout).toMatch(/^cannot run here:\n {2}- find \(find\): no search provider is set up; set up/m);
    expect(shown.stdout).toContain("WINDLASS_SEARXNG_URL");
    const careful = await windlass(["chains", "show", "careful"], { cwd });
    expect(careful.stdout).toMatch(/^search: web_search cannot work here: no search provider is set up$/m);
    const json = JSON.parse((await windlass(["chains", "show", "careful", "--json"], { cwd })).stdout);
    expect(json).toMatchObject({ valid: true, missing: [{ step: "search", tool: "web_search", required: false }] });
  });

  test("only gets a warning in a dry run", async () => {
    const cwd = await folder({
      ...workspace,
      "chains/first.yaml": `name: first
steps:
  - { id: pay, tool: send, params: { to: ann } }
  - { id: find, tool: find, params: { query: "\${steps.pay.output.id}" } }
`,
    });
    const { code, stderr } = await windlass(["run", "first", "--dry-run"], { cwd });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: cannot run here:\n {2}- find \(find\): no search provider is set up; set up/m);
    expect(stderr).toContain("would have been made");
  });
});
