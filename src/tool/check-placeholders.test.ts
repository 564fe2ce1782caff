import { describe, expect, test } from "vitest";
import type { Problem } from "../text/index.ts";
import { parseToolFile } from "./tool-file.ts";

/** A tool with the parameters `item` and `shop`, and this entry, from line 4 on. */
async function problemsOf(entry: string, parameters = "[{ name: item, type: string }, { name: shop, type: object }]") {
  const text = `name: price_of\ndescription: Returns a price\nparameters: ${parameters}\n${entry}\n`;
  const { problems } = await parseToolFile(text, { file: "tools/price.yaml" });
  return problems.map((problem) => `${marked(problem, text)} ${problem.severity}: ${problem.message}; ${problem.hint}`);
}

/** The position of a problem, and the text there. */
function marked({ line, column, length = 1 }: Problem, text: string): string {
  return `${line}:${column} ${text.split("\n")[line - 1]?.slice(column - 1, column - 1 + length)}`;
}

const http = (rest: string): string => `entry: { type: external, url: "https://shop.example/", ${rest} }`;
const command = (...words: string[]): string =>
  `entry:\n  type: external\n  command: ${JSON.stringify(["show", ...words])}`;

describe("[U7] placeholders of other languages in a tool file", () => {
  test.each([
    ['entry: { type: external, url: "https://shop.example/{{item}}" }', "4:53 {{item}}", "${input.item}"],
    ['entry: { type: external, url: "https://shop.example/{item}" }', "4:53 {item}", "${input.item}"],
    ['entry: { type: external, url: "https://shop.example/$item" }', "4:53 $item", "${input.item}"],
    [http('query: { q: "{{ input.item }}" }'), "4:69 {{ input.item }}", "${input.item}"],
    [http('query: { q: "a {{itm}}" }'), "4:71 {{itm}}", "${input.item}"],
    [http('headers: { Authorization: "Bearer {{secret.TOKEN}}" }'), "4:90 {{secret.TOKEN}}", "${secret.TOKEN}"],
    [http('body: { name: "<%= item %>" }'), "4:71 <%= item %>", "${input.item}"],
    [http('body: { list: ["{shop.name}"] }'), "4:72 {shop.name}", "${input.shop.name}"],
    [http('body: "$input.shop.name"'), "4:63 $input.shop.name", "${input.shop.name}"],
    [http('body: "{{ item | upper }}"'), "4:63 {{ item | upper }}", "${input.item}"],
    [
      'entry:\n  type: external\n  url: "https://shop.example/"\n  body: |\n    Item:\n      {{item}}',
      "9:7 {{item}}",
      "${input.item}",
    ],
    [command("{{item}}"), "6:21 {{item}}", "${input.item}"],
    [command("--name=$item"), "6:28 $item", "${input.item}"],
    [command("{item}"), "6:21 {item}", "${input.item}"],
    ['entry: { type: external, command: [show], stdin: "{{item}}" }', "4:51 {{item}}", "${input.item}"],
    ['entry: { type: external, command: [show], env: { ITEM: "{item}" } }', "4:57 {item}", "${input.item}"],
  ])("%s is a warning at its position, with the reference to write", async (entry, position, reference) => {
    const problems = await problemsOf(entry);
    const [, found] = /^\S+ (.*)$/.exec(position) ?? [];
    expect(problems.filter((problem) => problem.includes("not a reference"))).toEqual([
      `${position} warning: "${found}" is not a reference, and is sent unchanged; did you mean "${reference}"?`,
    ]);
  });

  test("a path in the style of other tools is reported with the parameter that is missing", async () => {
    const entry = 'entry: { type: external, url: "https://shop.example/{owner}/x" }';
    expect(await problemsOf(entry)).toEqual([
      '4:53 {owner} warning: "{owner}" is not a reference, and is sent unchanged; declare the parameter "owner" and write "${input.owner}"',
    ]);
    expect(await problemsOf(http('query: { q: "{{item}}" }'), "[]")).toEqual([
      expect.stringContaining('declare the parameter "item" and write "${input.item}"'),
    ]);
  });

  test("braces without quotes, which YAML reads as a map, are reported", async () => {
    expect(await problemsOf(http('query: { q: {item}, shop: "${input.shop}" }'))).toEqual([
      '4:68 {item} warning: {item} is a map with an empty key, not the parameter "item"; write "${input.item}"',
    ]);
  });

  test("a reference without its root names the right one", async () => {
    expect(await problemsOf(http('query: { q: "${item}", r: "${shop.name}" }'))).toEqual(
      expect.arrayContaining([
        expect.stringContaining('${item} is not a reference; did you mean "${input.item}"?'),
        expect.stringContaining('there is no "shop" here; did you mean "${input.shop.name}"?'),
      ]),
    );
  });

  test.each([
    http('body: { template: "Dear {{customer_name}}", item: "${input.item}", shop: "${input.shop}" }'),
    http('body: "costs $5, {other} and $other, \\\\$item"'),
    http('query: { q: "${input.item} ${input.shop}", raw: "$${item}" }'),
    command("-e", "({item}) => item"),
    command("-c", "echo $item;"),
    'entry: { type: external, command: [show, "$item"], env: { item: "${input.item}" } }',
    'entry: { type: external, command: [jq, --arg, item, "${input.item}", "$item"] }',
  ])("%s is not reported: it is intended for the receiver", async (entry) => {
    expect((await problemsOf(entry)).filter((problem) => problem.includes("sent unchanged"))).toEqual([]);
  });
});
