import { describe, expect, test } from "vitest";
import { chainFileSchema, planChain } from "../src/chain/index.ts";
import { fromJsonSchema } from "../src/schema/index.ts";
import { parseYaml } from "../src/text/index.ts";
import { ToolRegistry, defineTool, parseToolFile, toolFileSchema } from "../src/tool/index.ts";

const file = "f.yaml";
const tools = new ToolRegistry();
const input = fromJsonSchema({ type: "object", properties: { message: {} } });
tools.register(defineTool({ name: "echo", description: "Returns its input", effect: "pure", input, run: () => 1 }));

function fitsSchema(text: string, schema: Record<string, unknown>): boolean {
  const result = fromJsonSchema(schema).validate(parseYaml(text, { file }).value);
  return !(result instanceof Promise) && result.issues === undefined;
}

/** A tool with these parameters. */
const toolWith = (parameters: string): string =>
  `name: price_of\ndescription: Returns a price\nparameters:${parameters}\nentry: { type: http, url: "https://shop.example/" }\n`;

/** A chain with these inputs. */
const chainWith = (inputs: string): string =>
  `name: prices\ninput:${inputs}\nsteps: [{ id: all, tool: echo, params: { message: "\${input}" } }]\n`;

const short = `
  item: string
  count: integer=1
  tags: string[]?
  shop: { type: string, description: Name of the shop, required: false, validation: { max_length: 80 } }`;

const long = `
  - { name: item, type: string, required: true }
  - { name: count, type: integer, default: 1 }
  - { name: tags, type: array, validation: { items: string } }
  - { name: shop, type: string, description: Name of the shop, validation: { max_length: 80 } }`;

const schema = {
  type: "object",
  properties: {
    item: { type: "string" },
    count: { type: "integer", default: 1 },
    tags: { type: "array", items: { type: "string" } },
    shop: { type: "string", description: "Name of the shop", maxLength: 80 },
  },
  required: ["item"],
};

describe("[U18] parameters are a map of names and types or a list, in tool files and in chains", () => {
  test.each([
    ["the map", short],
    ["the list", long],
  ])("%s gives the same schema in both", async (_form, parameters) => {
    const { tool, problems } = await parseToolFile(toolWith(parameters), { file });
    expect(problems).toEqual([]);
    expect(tool?.input.json).toEqual(schema);
    const { plan } = planChain({ text: chainWith(parameters), file }, { tools });
    expect(plan?.input.json).toEqual(schema);
    expect(fitsSchema(toolWith(parameters), toolFileSchema)).toBe(true);
    expect(fitsSchema(chainWith(parameters), chainFileSchema)).toBe(true);
  });

  test.each([
    ["  item: strng", "4:9 unknown_type"],
    ["  item: 3", "4:9 wrong_type"],
    ["  item: integer=x", "4:17 bad_default"],
    ["  __proto__: string", "4:3 forbidden_key"],
    ["  item: { type: string, lenght: 3 }", "4:25 unknown_key"],
    ["  - { name: item, type: strng }", "4:25 bad_value"],
    ["  - { name: item, type: string }\n  - { name: item, type: string }", "5:13 duplicate_parameter"],
  ])("a mistake in %j is one error with the same code and position in both", async (parameters, position) => {
    const inTool = await parseToolFile(toolWith(`\n${parameters}`), { file });
    const tool = inTool.problems.filter(({ severity }) => severity === "error");
    expect(tool.map(({ line, column, code }) => `${line}:${column} ${code}`)).toEqual([position]);
    const text = `description: |\n  Some\n${chainWith(`\n${parameters}`)}`.replace("name: prices\n", "");
    const { problems } = planChain({ text: `${text}name: prices\n`, file }, { tools });
    expect(problems.map(({ line, column, code }) => `${line}:${column} ${code}`)).toEqual([position]);
  });
});

describe("[U18] http and command are entry types", () => {
  const toolOf = (entry: string): string =>
    `name: price_of\ndescription: Returns a price\nparameters: { item: string }\nentry: ${entry}\n`;

  test.each([
    ['{ type: http, url: "https://shop.example/${input.item}" }', "read"],
    ['{ type: external, url: "https://shop.example/${input.item}" }', "read"],
    ['{ type: command, command: [price, --, "${input.item}"] }', "once"],
    ['{ type: external, command: [price, --, "${input.item}"] }', "once"],
  ])("%s is a tool", async (entry, effect) => {
    const { tool, problems } = await parseToolFile(toolOf(entry), { file });
    expect({ problems, effect: tool?.effect }).toEqual({ problems: [], effect });
    expect(fitsSchema(toolOf(entry), toolFileSchema)).toBe(true);
  });

  test.each([
    ["{ type: http }", '4:8 "entry" needs the key "url"'],
    ["{ type: command }", '4:1 "entry" needs the key "command"'],
    ["{ type: command, command: price -a }", "4:27 a command is a list; there is no shell to split a line"],
    ['{ type: htpp, url: "https://a.example/" }', '4:16 unknown entry type "htpp"; did you mean "http"?'],
    ["{ type: rest }", '4:16 unknown entry type "rest"; types: builtin, http, command, custom'],
  ])("%s is one error", async (entry, expected) => {
    const { problems } = await parseToolFile(toolOf(entry), { file });
    const shown = problems.map(({ line, column, message, hint }) => `${line}:${column} ${message}; ${hint}`);
    expect(shown).toEqual([expect.stringContaining(expected.replace(/^\d+:\d+ /, ""))]);
  });
});
