import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { codeTool, folder, windlass } from "./windlass.ts";

const tool = (name: string, param: string, more = ""): string =>
  `name: ${name}\ndescription: Looks something up.\neffect: read\ncapabilities: [lookup]\n` +
  `parameters: [{ name: ${param}, type: string, required: true }]\nentry: { type: builtin, handler: echo }\n${more}`;

const lookup = `name: lookup
description: Looks a word up
input: { type: object, properties: { query: { type: string } }, required: [query] }
tools:
  foo: { arguments: { message: "\${input.query}" } }
`;

/** A search that fails. */
const failing = codeTool(
  "site_search",
  'export default () => { throw new Error("the site is down"); };',
  "effect: read\ncapabilities: [search]\nparameters: [{ name: query, type: string, required: true }]",
);

const files = {
  "tools/foo.yaml": tool("foo", "message"),
  "tools/bar.yaml": tool("bar", "query"),
  "tools/odd.yaml": tool("odd", "other"),
  "capabilities/lookup.yaml": lookup,
};

describe.concurrent("capabilities on the command line", () => {
  test("are listed with their tools, strategy and contract, and the tools that do not match", async () => {
    const cwd = await folder(files);
    const { stdout, code } = await windlass(["tools", "capabilities"], { cwd });
    expect(code).toBe(0);
    const line = stdout.split("\n").find((text) => text.startsWith("capability:lookup"));
    expect(line).toMatch(/bar, foo \(not by odd\) +several in parallel, results merged +capabilities\/lookup\.yaml/);
    expect(stdout).toMatch(/capability:search .*built in/);
    const json = await windlass(["tools", "capabilities", "--json"], { cwd });
    const all = JSON.parse(json.stdout) as { name: string }[];
    expect(all.find(({ name }) => name === "capability:lookup")).toEqual({
      name: "capability:lookup",
      description: "Looks a word up",
      aliases: [],
      tools: ["bar", "foo"],
      strategy: "synthesise",
      contract: "capabilities/lookup.yaml",
      unfit: [expect.stringMatching(/^odd: it needs the argument "other"/)],
    });
  });

  test("are shown with the same facts, also under an alias, and if only one tool serves them", async () => {
    const cwd = await folder(files);
    const shown = await windlass(["tools", "show", "capability:lookup"], { cwd });
    expect(shown.stdout).toMatch(/served by +bar, foo\n/);
    expect(shown.stdout).toMatch(/used +several in parallel, results merged\n/);
    expect(shown.stdout).toMatch(/not by +odd: it needs the argument "other"/);
    expect(shown.stdout).toMatch(/contract +capabilities\/lookup\.yaml\n/);
    const file = await windlass(["tools", "show", "capability:文件"], { cwd });
    expect(file.stdout).toMatch(/^read_file/);
    expect(file.stdout).toMatch(/not by +write_file: it may change something/);
  });

  test("a capability that no tool serves, or whose file is invalid, says so when it is called", async () => {
    const cwd = await folder({ "capabilities/lookup.yaml": lookup });
    const unserved = await windlass(["call", "capability:lookup", "query=x"], { cwd });
    expect(unserved).toMatchObject({ code: 2, stdout: "" });
    expect(unserved.stderr).toContain(
      "capabilities/lookup.yaml describes the capability, but no available tool has it",
    );
    await writeFile(join(cwd, "capabilities/lookup.yaml"), lookup.replace("type: string", "type: strnig"));
    const broken = await windlass(["call", "capability:lookup", "query=x"], { cwd });
    expect(broken).toMatchObject({ code: 1, stdout: "" });
    expect(broken.stderr).toMatch(
      /capability:lookup cannot be used: capabilities\/lookup\.yaml:3:\d+: .*broken_contract/,
    );
  });

  test("a capability that answers without one of its tools says which, and why", async () => {
    const cwd = await folder(failing);
    const { stdout, stderr, code } = await windlass(["call", "capability:search", "query=x"], { cwd });
    expect([code, JSON.parse(stdout)]).toEqual([0, { results: [] }]);
    expect(stderr).toMatch(/warning: site_search failed: the site is down \[execution_error\]/);
    const { stdout: records } = await windlass(["records"], { cwd });
    expect(records).toMatch(/↳ site_search/);
    expect(records).toMatch(/ {2}capability:search/);
  });

  test("a capability that a tool does not match says where to fix it", async () => {
    const output = "output: { type: object, properties: { text: { type: string } }, required: [text] }\n";
    const cwd = await folder({
      "tools/foo.yaml": tool("foo", "message"),
      "capabilities/lookup.yaml": lookup.replace("tools:", `${output}tools:`),
    });
    const { stderr } = await windlass(["call", "capability:lookup", "query=x"], { cwd });
    expect(stderr).toContain("the output of foo does not match the capability");
    expect(stderr).toContain("find it with: windlass tools show capability:lookup");
  });

  test("cannot be used in permission rules, which is reported", async () => {
    const cwd = await folder({ "windlass.yaml": 'permissions: { deny: ["capability:search"] }\n' });
    const { stderr } = await windlass(["validate"], { cwd });
    expect(stderr).toContain("rules apply to the tools that serve a capability");
  });
});

describe.concurrent("a run whose step calls a capability", () => {
  test("shows which tool served it", async () => {
    const cwd = await folder({
      ...failing,
      "chains/find.yaml":
        "name: find\nsteps:\n  - id: look\n    tool: capability:search\n    params: { query: x }\noutput: ${steps.look.output}\n",
    });
    const { stdout } = await windlass(["run", "find", "--json"], { cwd });
    const { chain_id: id, steps } = JSON.parse(stdout) as { chain_id: string; steps: object[] };
    expect(steps[0]).toMatchObject({ failed_sources: [{ tool: "site_search", code: "execution_error" }] });
    const explained = await windlass(["explain", id, "look"], { cwd });
    expect(explained.stdout).toMatch(/It was served by (memory_recall|local_?[sS]earch)\./);
    expect(explained.stdout).toContain("site_search was called for it too, and failed: execution_error: ");
    const shown = await windlass(["show", id], { cwd });
    expect(shown.stdout).toMatch(/by (memory_recall|local_?[sS]earch), site_search failed \(execution_error\)/);
  });

  test("is shown by a dry run with its arguments, without a call", async () => {
    const cwd = await folder({
      "tools/send.yaml": `name: send\ndescription: Sends.\neffect: once\ncapabilities: [deliver]\nparameters: [{ name: to, type: string }]\nentry: { type: external, command: [touch, sent] }\n`,
      "capabilities/deliver.yaml":
        'name: deliver\ninput: { type: object, properties: { address: { type: string } }, required: [address] }\ntools: { send: { arguments: { to: "${input.address}" } } }\n',
      "chains/go.yaml": "name: go\nsteps:\n  - { id: s, tool: 'capability:deliver', params: { address: a@x } }\n",
    });
    const { code, stdout, stderr } = await windlass(["run", "go", "--dry-run"], { cwd });
    expect([code, stderr]).toEqual([0, expect.stringContaining("capability:deliver")]);
    expect(stdout + stderr).toContain("a@x");
    expect(existsSync(join(cwd, "sent"))).toBe(false);
  });
});

describe.concurrent("validate and doctor", () => {
  const both = async (cwd: string): Promise<{ validate: string; doctor: string }> => {
    const [validate, doctor] = await Promise.all([windlass(["validate"], { cwd }), windlass(["doctor"], { cwd })]);
    return { validate: validate.stdout + validate.stderr, doctor: doctor.stdout };
  };

  test("report contracts that cannot work", async () => {
    const cwd = await folder({
      ...files,
      "mcp.json": '{ "mcpServers": {} }',
      "windlass.yaml": 'capabilities:\n  declare: { "mcp:nosuchserver": [lookup] }\n  keywords: { lokup: [word] }\n',
      "capabilities/lookup.yaml": `${lookup}  "nosuch*": {}\n`,
      "capabilities/void.yaml": "name: void\ninput: { type: object }\n",
    });
    const { validate, doctor } = await both(cwd);
    for (const text of [validate, doctor]) {
      expect(text).toContain('no tool is called like "nosuch*"');
      expect(text).toContain('there is no MCP server "nosuchserver"');
      expect(text).toContain('no other tool has the capability "lokup"');
      expect(text).toContain("no tool serves capability:void");
      expect(text).toMatch(/odd: it needs the argument "other"; .*; it is omitted/);
    }
    expect(doctor).toMatch(/ok +capabilities +lookup: served by bar, foo; not by odd: it needs/);
  });

  test("accept contracts that work, also if only built-in tools serve them", async () => {
    const cwd = await folder({
      "windlass.yaml": "retention: { days: 1 }\n",
      "capabilities/weather.yaml":
        "name: weather\ninput: { type: object, properties: { location: { type: string } }, required: [location] }\ntools: { get_weather: {} }\n",
    });
    const { validate, doctor } = await both(cwd);
    expect(validate).toContain("no problems");
    expect(doctor).toMatch(/ok +capabilities +weather: served by get_weather\n/);
  });

  test("know the format, also for editors", async () => {
    const cwd = await folder();
    const { stdout } = await windlass(["schema", "capability"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ title: "Windlass capability" });
    await windlass(["init"], { cwd });
    expect(await readFile(join(cwd, ".windlass/schema/capability.json"), "utf8")).toBe(stdout);
    expect(await readFile(join(cwd, "windlass.yaml"), "utf8")).toMatch(/# capabilities:[^]*# hub:/);
    expect((await windlass(["validate"], { cwd })).stdout).toContain("no problems");
  });
});
