import { mkdtempSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { worldOf } from "../../../test/support/candidates.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { calculatorTool } from "../../builtin/calculator-tool.ts";
import { getCurrentTimeTool } from "../../builtin/time/get-current-time-tool.ts";
import { getTimeTool } from "../../builtin/time/get-time-tool.ts";
import { createBuiltinServices } from "../../builtin/index.ts";
import { localSearchTool } from "../../builtin/vault/local-search-tool.ts";
import { createHttpClient } from "../../net/index.ts";
import { fail } from "../../base/index.ts";
import { fromJsonSchema } from "../../schema/index.ts";
import { builtInContracts } from "./built-in-contracts.ts";
import { parseContract } from "./contract-file.ts";
import type { Contract } from "./contract.ts";
import { loadContracts } from "./load-contracts.ts";
import { type MappedTools, unmatchedMappings } from "./unmatched-mappings.ts";

const translate = `
name: translate
description: Translates a text.
aliases: [翻译]
input:
  type: object
  properties:
    text: { type: string, minLength: 1 }
    to: { type: string, default: en }
  required: [text]
output:
  type: object
  properties: { text: { type: string } }
  required: [text]
non_empty: $.text
tools:
  deepl:
    arguments: { q: "\${input.text}", target: "\${upper(input.to)}" }
    result: { text: "\${item.translations[0].text}" }
  "lib/*":
    arguments: { source_text: "\${input.text}", lang: "\${input.to}" }
    result: { text: { select: "$..out" } }
`;

function contractIn(text: string): Contract {
  const { contract, problems } = parseContract(text, { file: "capabilities/x.yaml", known: builtInContracts() });
  expect(problems).toEqual([]);
  return contract!;
}

const problemsIn = (text: string) => parseContract(text, { file: "c.yaml", known: builtInContracts() }).problems;

describe("[N10] a capability's contract", () => {
  test("lets different tools serve one capability, each called in its own way", async () => {
    const calls: unknown[] = [];
    const deepl = sampleTool((args) => (calls.push(args), { translations: [{ text: "hi" }] }), {
      name: "deepl",
      capabilities: ["translate"],
    });
    const { call } = worldOf([deepl], { contracts: [contractIn(translate)] });
    expect(await call("capability:translate", { text: "你好" })).toMatchObject({
      tool: "capability:translate",
      output: { text: "hi" },
      meta: { source: "tools", sources: ["deepl"], sourceCount: 1, synthesized: false },
    });
    expect(calls).toEqual([{ q: "你好", target: "EN" }]);
    expect(await call("capability:翻译", { text: "你好" })).toMatchObject({
      tool: "capability:translate",
      success: true,
    });
    expect(await call("capability:translate", { text: "" })).toMatchObject({ error: { code: "validation_error" } });
  });

  test("skips results that do not match it, or are empty, and tries the next tool", async () => {
    const served = (name: string, answer: unknown) => sampleTool(() => answer, { name, capabilities: ["translate"] });
    const more = { ...contractIn(translate), kind: "calculate" as const };
    const { call } = worldOf(
      [served("deepl", { translations: [] }), served("plain", { text: " " }), served("good", { text: "hello" })],
      { contracts: [more] },
    );
    expect(await call("capability:translate", { text: "x" })).toMatchObject({
      output: { text: "hello" },
      meta: { sources: ["good"] },
    });
    const bad = worldOf([served("deepl", { translations: [] }), served("plain", 5)], { contracts: [more] });
    expect(await bad.call("capability:translate", { text: "x" })).toMatchObject({
      error: {
        code: "output_invalid",
        reason: "all_failed",
        message: expect.stringMatching(/deepl: .*text.*; plain: /),
      },
    });
  });

  test("never runs another tool after a writing tool returned a mismatching output", async () => {
    let requested = 0;
    const tools = ["a", "b"].map((name) =>
      sampleTool(() => ++requested, { name, capabilities: ["translate"], effect: "once" }),
    );
    const { call } = worldOf(tools, { contracts: [contractIn(translate)] });
    expect(await call("capability:translate", { text: "x" })).toMatchObject({
      error: { code: "output_invalid", reason: "contract", retry: "unsafe" },
    });
    expect(requested).toBe(1);
  });

  test("is served by tools whose schemas match it, without a mapping", async () => {
    const fits = sampleTool(({ text }) => ({ text, more: 1 }), {
      name: "fits",
      capabilities: ["translate"],
      input: fromJsonSchema({
        type: "object",
        properties: { text: { type: "string" } },
        required: ["text"],
        additionalProperties: false,
      }),
    });
    const { call } = worldOf([fits], { contracts: [contractIn(translate)] });
    const result = await call("capability:translate", { text: "x" });
    // Fields that the contract does not name are specific to the tool: another tool would not return them.
    expect(result.success && result.output).toEqual({ text: "x" });
  });

  test("reports why tools with the capability cannot serve it", async () => {
    const input = fromJsonSchema({ type: "object", properties: { key: { type: "string" } }, required: ["key"] });
    const output = fromJsonSchema({ type: "object", properties: { words: {} } });
    const { call, hub } = worldOf(
      [
        sampleTool(() => 1, { name: "a", capabilities: ["translate"], input }),
        sampleTool(() => 1, { name: "b", capabilities: ["translate"], output }),
      ],
      { contracts: [contractIn(translate)] },
    );
    expect(await call("capability:translate", { text: "x" })).toMatchObject({
      error: {
        code: "not_available",
        reason: "no_matching_tool",
        message: expect.stringMatching(/a: it needs the argument "key".*b: its output has no "text"/),
      },
    });
    expect(hub.capabilities()).toMatchObject([
      { name: "translate", tools: [], unfit: [expect.any(String), expect.any(String)] },
    ]);
  });

  test("a tool whose arguments cannot be derived is skipped", async () => {
    const contract = contractIn(translate.replace("${upper(input.to)}", "${num(input.to)}"));
    const tools = ["deepl", "lib/x"].map((name) =>
      sampleTool(() => ({ out: "a" }), { name, capabilities: ["translate"] }),
    );
    const { call } = worldOf(tools, { contracts: [{ ...contract, nonEmpty: contract.nonEmpty! }] });
    expect(await call("capability:translate", { text: "x", to: "en" })).toMatchObject({
      error: { message: expect.stringMatching(/lib\/x: .*; deepl: not called, .*cannot be derived from these/) },
    });
  });

  test("items of a list are mapped one by one, and a single thing counts as a list of one", async () => {
    const contract = contractIn(`
name: search
tools:
  "brave/*":
    arguments: { q: "\${input.query}", n: "\${input.count}" }
    result:
      results:
        each: { select: "$.web.hits" }
        as: { title: "\${item.name}", url: "\${item.link}", snippet: "\${item.text ?? ''}" }
`);
    let input: unknown;
    const hits = (answer: unknown) =>
      sampleTool((args) => ((input = args), { web: { hits: answer } }), { name: "brave/find" });
    const call = (answer: unknown) =>
      worldOf([{ tool: hits(answer), source: "mcps", owner: "brave" }], {
        contracts: [contract],
        declared: { "mcp:brave": ["search"] },
      }).call("capability:search", { query: "q" });
    expect(
      await call([
        { name: "A", link: "a", text: "t" },
        { name: "B", link: "b" },
      ]),
    ).toMatchObject({
      output: {
        results: [
          { title: "A", url: "a", snippet: "t" },
          { title: "B", url: "b", snippet: "" },
        ],
      },
      meta: { source: "mcps", sources: ["brave/find"] },
    });
    expect(input).toEqual({ q: "q" });
    expect(await call({ name: "A", link: "a" })).toMatchObject({ output: { results: [{ title: "A" }] } });
    expect(await call([])).toMatchObject({ success: true, output: { results: [] } });
  });
});

describe("a file of a capability", () => {
  test("changes only the given keys of a built-in contract", () => {
    const contract = contractIn('name: search\ntools:\n  mine: { arguments: { q: "${input.query}" } }\n');
    const { search } = Object.fromEntries(builtInContracts());
    expect(contract.input).toBe(search!.input);
    expect(contract).toMatchObject({ kind: "search", aliases: ["搜索"], merge: { list: "results" } });
    expect(contract.tools.map(({ pattern }) => pattern)).toEqual(["mine"]);
  });

  test.each([
    ["name: x y\ninput: { type: object }", "bad_value", 1],
    ["name: own", "missing_key", 1],
    ["name: own\ninput: { type: string }", "wrong_type", 2],
    ["name: own\ninput: { type: object }\nkinds: search", "unknown_key", 3],
    ["name: own\ninput: { type: object }\nkind: serach", "bad_value", 3],
    ["name: search\nnon_empty: results[", "bad_expression", 2],
    ["name: search\nmerge: { list: result, key: url }", "unknown_key", 2],
    ["name: search\ntools:\n  a:\n    arguments: { q: '${input.querry}' }", "bad_expression", 4],
    ["name: search\ntools:\n  a:\n    arguments: { q: '${item.query}' }", "bad_expression", 4],
    ["name: search\ntools:\n  a:\n    arguments: { q: '${secret.KEY}' }", "bad_expression", 4],
    ["name: search\ntools:\n  a:\n    arguments: { q: '${input.query' }", "bad_expression", 4],
    ["name: search\ntools:\n  a:\n    result: { results: '${steps.x}' }", "bad_expression", 4],
    ["name: search\ntools:\n  a:\n    result: { results: { each: '${item}' } }", "bad_expression", 4],
    ["name: search\ntools:\n  a:\n    result: { results: { each: '${item}', as: 1, at: 2 } }", "bad_expression", 4],
    ["name: search\ntools:\n  a:\n    result: { results: { select: '$[' } }", "bad_expression", 4],
    ["name: search\ntools:\n  a:\n    result: '${secret.KEY}'", "bad_expression", 4],
    ["- a list", "wrong_type", 1],
    ["name: [", "yaml_syntax", 1],
  ])("reports the position of an error: %j", (text, code, line) => {
    const problems = problemsIn(text);
    expect(problems.map((problem) => problem.code)).toContain(code);
    expect(problems[0]).toMatchObject({ file: "c.yaml", line, severity: "error" });
    expect(parseContract(text, { file: "c.yaml", known: builtInContracts() }).contract).toBeUndefined();
  });

  test("suggests a fix at the exact position", () => {
    const [problem] = problemsIn("name: search\ntools:\n  a:\n    arguments: { q: '${input.querry}' }");
    expect(problem).toMatchObject({ hint: 'did you mean "input.query"?', line: 4, column: 24, length: 12 });
  });

  test("a file that cannot be used stops no other; links out of the workspace and second descriptions are refused", async () => {
    const root = mkdtempSync(join(tmpdir(), "windlass-capabilities-"));
    const dir = join(root, "capabilities");
    expect(await loadContracts(dir, root)).toMatchObject({ contracts: [], problems: [], stamp: "" });
    mkdirSync(dir);
    writeFileSync(join(dir, "a.yaml"), translate);
    writeFileSync(join(dir, "b.yaml"), translate);
    writeFileSync(join(dir, "c.yaml"), "name: {");
    writeFileSync(join(tmpdir(), "windlass-outside.yaml"), "name: search");
    symlinkSync(join(tmpdir(), "windlass-outside.yaml"), join(dir, "d.yaml"));
    const { contracts, problems } = await loadContracts(dir, root);
    expect(contracts.map(({ name, file, broken }) => [name, file, broken !== undefined])).toEqual([
      ["c", "capabilities/c.yaml", true],
      ["d", "capabilities/d.yaml", true],
      ["translate", "capabilities/a.yaml", false],
    ]);
    const codes = Object.fromEntries(problems.map(({ file, code }) => [file, code]));
    expect(codes).toMatchObject({
      "capabilities/b.yaml": "duplicate_capability",
      "capabilities/c.yaml": expect.any(String),
      "capabilities/d.yaml": "outside_workspace",
    });
  });
});

describe("[N10] a contract that is written down", () => {
  const messageText = (text: string) =>
    problemsIn(text).map(({ severity, line, message, hint }) => `${severity} ${line}: ${message}; ${hint}`);

  test("a contract with the input of a chain gets one hint how to write it", () => {
    const short = translate.replace(/input:[^]*?output:/, "input: { text: string, to: string }\noutput:");
    expect(messageText(short)).toEqual([
      "error 5: `input` of a capability is a JSON Schema; write input: { type: object, properties: { text: { type: string } } }",
    ]);
  });

  test("gets a warning if it refers to fields that its output does not have", () => {
    expect(messageText(translate.replace("non_empty: $.text", "non_empty: $.txet"))).toEqual([
      'warning 15: there is no "txet" in `output`, so that nothing is ever found there; did you mean "text"?',
    ]);
    const list = (key: string, path: string) => `name: lists
input: { type: object, properties: { q: { type: string } } }
output:
  type: object
  properties: { found: { type: array, items: { type: object, properties: { url: { type: string } } } } }
non_empty: ${path}
merge: { list: found, key: ${key} }
`;
    for (const path of ["$.found", "$['found'][0].url", '"$[\\"found\\"][*].url"', "$..anything", "$.found[?@.x]"])
      expect(messageText(list("url", path))).toEqual([]);
    expect(messageText(list("ulr", "$.found[*].uri"))).toEqual([
      'warning 6: there is no "uri" in `output`, so that nothing is ever found there; did you mean "url"?',
      'warning 7: there is no "ulr" in `output`, so that nothing is ever found there; did you mean "url"?',
    ]);
    expect(
      messageText(
        list("x", "$.found").replace(
          "object, properties: { url",
          "object, additionalProperties: true, properties: { url",
        ),
      ),
    ).toEqual([]);
  });
});

describe("the tools in a file", () => {
  const plain = sampleTool(() => 1, {
    name: "deepl",
    aliases: ["deep"],
    input: fromJsonSchema({ type: "object", properties: { q: { type: "string" }, target: { type: "string" } } }),
  });
  const warned = (text: string, more: Partial<MappedTools> = {}) => {
    const { hub } = worldOf([plain, sampleTool(() => 1, { name: "lib/a" })]);
    const tools: MappedTools = { resolve: (name) => hub.resolve(name), names: () => hub.names(), ...more };
    return unmatchedMappings({ file: "c.yaml", source: text }, tools).map(
      ({ severity, line, code, message, hint }) => `${severity} ${line} ${code}: ${message}; ${hint}`,
    );
  };

  test("is checked against them: unknown parameters and unknown tools", () => {
    expect(warned(translate)).toEqual([]);
    expect(warned(translate.replace("q:", "text:"))).toEqual([
      'warning 18 unknown_parameter: the tool "deepl" has no parameter "text"; parameters: q, target',
    ]);
    expect(warned(translate.replace("deepl:", "depl:"))).toEqual([
      'warning 17 unknown_tool: there is no tool "depl"; did you mean "deepl"?',
    ]);
    // A mapping may name an alias, but no alias of a server's tool.
    expect(warned(translate.replace("deepl:", "deep:"))).toEqual([]);
  });

  test("is checked against them: missing arguments, patterns without a match, unknown sources", () => {
    const needs = { ...plain, input: fromJsonSchema({ ...plain.input.json, required: ["q", "target"] }) };
    const resolve = () => ({ tool: needs, source: "tools", owner: "tools", priority: 0 });
    expect(warned(translate.replace(/, target: "[^"]*"/, ""), { resolve })).toEqual([
      'warning 18 missing_parameter: the tool "deepl" needs "target", which is not here; write target: "${input.…}"',
    ]);
    expect(warned(translate, { resolve })).toEqual([]);
    expect(warned(translate.replace("lib/*", "lbi/*"))).toEqual([
      'warning 20 unknown_tool: no tool is called like "lbi/*"; windlass tools lists the names',
    ]);
    expect(warned(translate.replace("lib/*", "source:mcp"))).toEqual([
      'warning 20 unknown_source: tools have no source "mcp"; did you mean "source:mcps"?',
    ]);
    expect(warned(translate.replace("lib/*", "source:mcps"))).toEqual([]);
    expect(warned(translate.replace("lib/*", "web/*"), { whyMissing: () => "never connected to" })).toEqual([]);
  });

  test("is accepted if the tool may belong to a server that was never connected", () => {
    expect(warned(translate.replace("deepl:", "web/deepl:"), { whyMissing: () => "never connected to" })).toEqual([]);
  });
});

describe("contracts that are built in", () => {
  test("calculate and time are served by the built-in tools", async () => {
    const { call } = worldOf([calculatorTool, getTimeTool(), getCurrentTimeTool()]);
    expect(await call("capability:calculate", { expression: "2*(3+4)" })).toMatchObject({ output: { result: 14 } });
    expect(await call("capability:计算", { expression: "1/0" })).toMatchObject({ success: false });
    expect(await call("capability:time", { timezone: "Asia/Shanghai" })).toMatchObject({
      output: { text: expect.stringContaining("Asia/Shanghai") },
      meta: { sourceCount: 1 },
    });
  });

  test("search queries the web, the notes and the memory, and merges their results", async () => {
    const page = (name: string) => ({ title: name, url: `https://${name}.example/`, snippet: "s" });
    const inputs: unknown[] = [];
    const input = fromJsonSchema({
      type: "object",
      properties: { query: { type: "string" }, count: { type: "integer" } },
      required: ["query"],
      additionalProperties: false,
    });
    const web = sampleTool(() => ({ results: [page("a"), page("b")], provider: "p" }), {
      name: "web_search",
      capabilities: ["search", "搜索"],
      input,
    });
    const { contracts = {} } = localSearchTool(createBuiltinServices({ http: createHttpClient() }));
    const notes = sampleTool(
      (args) => (inputs.push(args), { documents: [{ title: "N", cite: "n.md:3", snippet: "x" }], indexed: 1 }),
      { name: "local_search", capabilities: ["search"], contracts },
    );
    const off = sampleTool(() => fail("no memory", { code: "not_available" }), {
      name: "memory_recall",
      capabilities: ["search"],
    });
    const { call } = worldOf([web, notes, off]);
    expect(await call("capability:搜索", { query: "q", count: 2 })).toMatchObject({
      tool: "capability:search",
      output: { results: [page("a"), { title: "N", url: "vault:n.md:3", snippet: "x" }] },
      meta: { synthesized: true, synthesis: "data", sources: ["web_search", "local_search"], source: "tools" },
    });
    expect(inputs).toEqual([{ query: "q", limit: 2 }]);
  });
});
