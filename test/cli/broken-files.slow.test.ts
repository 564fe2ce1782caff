import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folder, windlass } from "./windlass.ts";

interface Found {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The problems that `windlass validate` finds, one line each. */
async function problemsIn(cwd: string, ...files: string[]): Promise<string[]> {
  const { stdout, stderr } = await windlass(["validate", ...files, "--json"], { cwd });
  const found = JSON.parse(stdout || stderr) as readonly Found[];
  return found.map(({ severity, file, line, column, message, hint = "" }) =>
    [`${file}:${line}:${column}: ${severity}: ${message}`, hint].join("; "),
  );
}

const brokenTool = `name: price_of
description: Returns the price of an item
parameters:
  - { name: item, type: strng, required: true }
entry: { type: external, url: "https://shop.example/\${input.item}" }
`;

const callOf = (name: string, tool: string): string => `name: ${name}\nsteps:\n  - id: one\n    tool: ${tool}\n`;

describe.concurrent("[U9] a broken tool file", () => {
  const files = {
    "windlass.yaml": "",
    "tools/price.yaml": brokenTool,
    "chains/a.yaml": `${callOf("a", "price_of")}    params: { item: apple }\n  - id: two\n    tool: price_of\n`,
    "chains/b.yaml": callOf("b", "price_of"),
    "chains/c.yaml": callOf("c", "b"),
  };
  const cause = 'tools/price.yaml:4:25: error: "type" must be one of string';

  test("is one error, also if several chains use its tool", async () => {
    const cwd = await folder(files);
    expect(await problemsIn(cwd)).toEqual([expect.stringContaining(cause)]);
    expect(await problemsIn(cwd, "tools/price.yaml", "chains/a.yaml", "chains/c.yaml")).toEqual([
      expect.stringContaining(cause),
    ]);
  });

  test("is the error of a chain that is checked alone, once, with its position", async () => {
    const cwd = await folder(files);
    const error =
      /^chains\/a\.yaml:4:11: error: price_of is in tools\/price\.yaml, which has errors; tools\/price\.yaml:4:25: "type" must/;
    expect(await problemsIn(cwd, "chains/a.yaml")).toEqual([expect.stringMatching(error)]);
    expect(await problemsIn(cwd, "chains")).toEqual([expect.stringMatching(error)]);
    expect(await problemsIn(cwd, "chains/a.yaml", "chains/b.yaml")).toEqual([expect.stringMatching(error)]);
  });

  test("is named by every command that needs the tool", async () => {
    const cwd = await folder(files);
    const message = "price_of is in tools/price.yaml, which has errors";
    for (const words of [
      ["run", "a"],
      ["call", "price_of", "item=apple"],
      ["tools", "show", "price_of"],
    ]) {
      const { code, stderr } = await windlass(words, { cwd });
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) as string });
      expect(stderr).not.toContain("there is no tool");
    }
    const doctor = await windlass(["doctor"], { cwd });
    expect(doctor.stdout.match(/^fail/gm)).toHaveLength(1);
  });

  test("is found by the name in the file, also in code and in YAML that cannot be parsed", async () => {
    const cwd = await folder({
      "windlass.yaml": "",
      "tools/a.yaml": "name: alpha\ndescription: One\nentry: { type: builtin, handler: ${echo} }\n",
      "tools/b.ts":
        'import { defineTool } from "windlass";\nexport default defineTool({ name: "beta", wrong.syntax });\n',
      "tools/gamma.ts": "export default nothing.at.all;\n",
      "chains/all.yaml":
        "name: all\nsteps:\n  - { id: a, tool: alpha }\n  - { id: b, tool: beta }\n  - { id: c, tool: gamma }\n",
    });
    expect(await problemsIn(cwd, "chains/all.yaml")).toEqual([
      expect.stringMatching(/^chains\/all\.yaml:3:20: error: alpha is in tools\/a\.yaml, which has errors/),
      expect.stringMatching(/^chains\/all\.yaml:4:20: error: beta is in tools\/b\.ts, which has errors/),
      expect.stringMatching(/^chains\/all\.yaml:5:20: error: gamma is in tools\/gamma\.ts, which has errors/),
    ]);
    expect((await problemsIn(cwd)).map((problem) => problem.split(":")[0])).toEqual([
      "tools/a.yaml",
      "tools/b.ts",
      "tools/gamma.ts",
    ]);
  });

  test("with a missing module is one error, and so is a broken chain that other chains call", async () => {
    const cwd = await folder({
      "windlass.yaml": "",
      "tools/gone.yaml": "name: gone\ndescription: Its module is missing\nentry: { type: custom, module: ./gone.ts }\n",
      "chains/a.yaml": callOf("a", "gone"),
      "chains/b.yaml": `${callOf("b", "get_time")}    timeout: soon\n`,
      "chains/c.yaml": callOf("c", "b"),
    });
    expect(await problemsIn(cwd)).toEqual([
      expect.stringMatching(/^tools\/gone\.yaml:3:32: error: there is no module/),
      expect.stringMatching(/^chains\/b\.yaml:5:14: error: "timeout"/),
    ]);
  });
});

const chain = "name: x\nsteps:\n  - id: now\n    tool: get_time\n";
const tool = "name: x\ndescription: A tool\nentry: { type: builtin, handler: get_time }\n";

describe.concurrent("[U8] ignored files and folders of a workspace", () => {
  test("files with another extension are reported with the name that they need", async () => {
    const cwd = await folder({
      "windlass.yaml": "",
      "chains/a.txt": chain,
      "chains/b.json": JSON.stringify({ name: "b", steps: [{ id: "now", tool: "get_time" }] }),
      "chains/c.yaml.txt": chain,
      "chains/deep/d": chain,
      "chains/e.ts": 'import { defineTool } from "windlass";\nexport default defineTool({});\n',
      "tools/a.yaml.txt": "name: [",
      "tools/b.json": JSON.stringify({ name: "b", entry: {} }),
      "tools/c.txt": chain,
      "tools/d.cts": "export const d = defineTool({});",
    });
    const warned = (file: string, why: string): string => `${file}:1:1: warning: the file is ignored; ${why}`;
    const [chains, tools] = [
      "chains are .yaml and .yml files in chains/",
      "tools are .yaml, .yml, .ts, .mts, .js and .mjs files in tools/",
    ];
    const inChains = [
      warned("chains/a.txt", `${chains}; rename it to chains/a.yaml`),
      warned("chains/b.json", `${chains}; rename it to chains/b.yaml`),
      warned("chains/c.yaml.txt", `${chains}; rename it to chains/c.yaml`),
      warned("chains/deep/d", `${chains}; rename it to chains/deep/d.yaml`),
      warned("chains/e.ts", `${tools}; move it to tools/e.ts`),
    ];
    const inTools = [
      warned("tools/a.yaml.txt", `${tools}; rename it to tools/a.yaml`),
      warned("tools/b.json", `${tools}; rename it to tools/b.yaml`),
      warned("tools/c.txt", `${chains}; move it to chains/c.yaml`),
      warned("tools/d.cts", `${tools}; rename it to tools/d.ts`),
    ];
    expect(await problemsIn(cwd)).toEqual([...inChains, ...inTools]);
    expect(await problemsIn(cwd, "chains")).toEqual(inChains);
    expect(await problemsIn(cwd, "tools")).toEqual(inTools);
    expect((await windlass(["doctor"], { cwd })).stdout.match(/^warn {2}files/gm)).toHaveLength(9);
    const { stderr } = await windlass(["run", "a"], { cwd });
    expect(stderr).toContain('there is no chain named "a"; chains/a.txt is ignored, rename it to chains/a.yaml');
    await writeFile(join(cwd, "chains/other.txt"), chain.replace(/^name: .*/, "name: lst"));
    expect((await windlass(["run", "lst"], { cwd })).stderr).toContain(
      'there is no chain named "lst"; chains/other.txt is ignored, rename it to chains/other.yaml',
    );
  });

  test("folders and settings under nearly the right name are reported with the right one", async () => {
    const cwd = await folder({
      "windlass.yml": "chains: {}\n",
      "chain/a.yaml": chain,
      "Tools/b.yaml": tool,
      "skill/s/SKILL.md": "---\nname: s\ndescription: S\n---\n",
    });
    expect(await problemsIn(cwd)).toEqual([
      "Tools:1:1: warning: the folder is ignored; tools are in tools/; move its files to tools/",
      "chain:1:1: warning: the folder is ignored; chains are in chains/; move its files to chains/",
      "skill:1:1: warning: the folder is ignored; skills are in skills/; move its files to skills/",
      "windlass.yml:1:1: warning: the file is ignored; the settings of a workspace are in windlass.yaml; rename it to windlass.yaml",
    ]);
  });

  test("a chain among the tools, and a tool among the chains, is one error that says so", async () => {
    const cwd = await folder({ "windlass.yaml": "", "tools/x.yaml": chain, "chains/y.yaml": tool });
    const chainError = expect.stringMatching(
      /^tools\/x\.yaml:2:1: error: this file is a chain, not a tool; move it to the folder of chains/,
    ) as string;
    const toolError = expect.stringMatching(
      /^chains\/y\.yaml:3:1: error: this file is a tool, not a chain; move it to the folder of tools/,
    ) as string;
    expect(await problemsIn(cwd)).toEqual([chainError, toolError]);
    expect(await problemsIn(cwd, "tools/x.yaml", "chains/y.yaml")).toEqual([chainError, toolError]);
    expect(await problemsIn(cwd, "tools", "chains")).toEqual([chainError, toolError]);
  });

  test("notes, data, drafts and helpers beside tools and chains are not reported", async () => {
    const cwd = await folder({
      "windlass.yaml": "chains: { directory: flows }\nengine: { tools_directory: tools }\n",
      "flows/a.yaml": chain.replace("name: x", "name: y"),
      "flows/README.md": "# Chains\n\nThe steps: see below.\n",
      "flows/.hidden.txt": chain,
      "flows/_draft.txt": chain,
      "tools/a.yaml": tool,
      "tools/data.json": '{ "entry": 1, "rows": [',
      "tools/prompt.txt": "Follow these steps: first, second.",
      "tools/script.py": "entry: int = 1\n",
      "tool-notes/a.yaml": "name: x\nversion: 1\n",
      "test/x.yaml": chain,
    });
    expect(await problemsIn(cwd)).toEqual([]);
  });
});

test("[U7] placeholders of other languages in a tool file are warnings of validate, with line and column", async () => {
  const cwd = await folder({
    "windlass.yaml": "",
    "tools/price.yaml": `name: price_of
description: Returns the price of an item
parameters: [{ name: item, type: string }]
entry:
  type: external
  url: https://shop.example/{{item}}
  query: { a: "{item}", b: $item }
`,
  });
  const warned = (position: string, found: string): string =>
    `tools/price.yaml:${position}: warning: "${found}" is not a reference, and is sent unchanged; did you mean "\${input.item}"?`;
  expect(await problemsIn(cwd)).toEqual([
    warned("6:29", "{{item}}"),
    warned("7:16", "{item}"),
    warned("7:28", "$item"),
  ]);
});
