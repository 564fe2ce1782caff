import { describe, expect, test } from "vitest";
import { parseWorkspace } from "../src/app/index.ts";
import { parseChain } from "../src/chain/index.ts";
import { type Problem, parseYaml } from "../src/text/index.ts";
import { ToolRegistry, defineTool, parseToolFile } from "../src/tool/index.ts";

const executors = new ToolRegistry();
executors.register(defineTool({ name: "echo", description: "Returns its input", effect: "pure", run: (args) => args }));

const chain = `name: welcome
description: Says hello
input: { name: string }
steps:
  - id: first
    tool: echo
    params: { message: "hi" }
  - id: second
    tool: echo
    params:
      message: "again"
      times: 2
`;

const tool = `name: welcome
description: Says hello
tags: ["a"]
parameters:
  - name: first
    type: string
    validation: { pattern: "hi" }
  - name: second
    type: string
    validation:
      pattern: "again"
      min_length: 2
entry: { type: builtin, handler: echo }
`;

const settings = `chains:
  directory: Says hello
secrets:
  A: { file: "hi" }
permissions:
  deny:
  - first
  - second
models:
    main:
      model: "again"
      max_tokens: 2
`;

/** A slip: the text that is replaced, and the words of the message and the hint. */
type Slip = readonly [title: string, from: string, to: string, says: RegExp];

const slips: readonly Slip[] = [
  [
    "an unquoted expression in a flow map",
    '"hi"',
    "${steps.a.output.message}",
    /needs quotes.*write "\$\{steps\.a\.output\.message\}"/,
  ],
  [
    "an unquoted placeholder of another language",
    '"hi"',
    "{{input.name}}",
    /braces without quotes are a map.*write "\$\{input\.name\}"/,
  ],
  ["a tab", '      KEY: "again"', '\t\tKEY: "again"', /tab.*type spaces/],
  ["one space less", "      LAST: 2", "     LAST: 2", /5 spaces.*too few.*indent it with 6 spaces/],
  ["one space less before a dash", "  - ITEM", " - ITEM", /1 space,.*too few.*indent it with 2 spaces/],
  ["one space more", "      LAST: 2", "       LAST: 2", /7 spaces.*too many.*indent it with 6 spaces/],
  ["no space after a colon", "      LAST: 2", "      LAST:2", /a space is missing.*write LAST: 2/],
  ["no space after a colon in a flow map", 'KEY1: "hi"', 'KEY1:"hi"', /a space is missing.*write KEY1: "hi"/],
  ["an unclosed double quote", '"again"', '"again', /not closed.*write "again"/],
  ["an unclosed single quote", "Says hello", "'Says hello", /not closed.*write 'Says hello'/],
  ["a missing dash", "  - ITEM", "  ITEM", /"- ".*write - ITEM/],
  ["a missing dash before an indented key", "  - ITEM", "    ITEM", /duplicate key.*write - \w+: …/],
  ["an unquoted colon in a value", "Says hello", "Note: says hello", /": " needs quotes.*write "Note: says hello"/],
  ["a value that begins with *", '"again"', "*.md", /starts with \* needs quotes.*write "\*\.md"/],
  ["a value that begins with &", '"again"', "&more", /starts with & needs quotes.*write "&more"/],
  ["a value that begins with @", '"again"', "@ada", /starts with @ needs quotes.*write "@ada"/],
  ["an unclosed brace", 'KEY1: "hi" }', 'KEY1: "hi"', /this \{ is not closed.*write \{ KEY1: "hi" \}/],
  ["a brace closed with a bracket", 'KEY1: "hi" }', 'KEY1: "hi" ]', /the \{ is closed with \].*write \}/],
  ["a brace too many", 'KEY1: "hi" }', 'KEY1: "hi" } }', /this \} closes nothing.*remove it/],
  ["a duplicate key", "      LAST: 2", "      KEY: 2", /duplicate key.*keep one/],
];

const kinds: readonly [
  kind: string,
  text: string,
  names: Readonly<Record<string, string>>,
  read: (text: string) => readonly Problem[] | Promise<readonly Problem[]>,
][] = [
  [
    "a chain",
    chain,
    { ITEM: "id: second", KEY1: "message", KEY: "message", LAST: "times" },
    (text) => parseChain(text, { file: "f.yaml" }).problems,
  ],
  [
    "a tool file",
    tool,
    { ITEM: "name: second", KEY1: "pattern", KEY: "pattern", LAST: "min_length" },
    async (text) => (await parseToolFile(text, { file: "f.yaml", executors })).problems,
  ],
  [
    "windlass.yaml",
    settings,
    { ITEM: "second", KEY1: "file", KEY: "model", LAST: "max_tokens" },
    (text) => parseWorkspace(text, "f.yaml").problems,
  ],
];

describe.each(kinds)("[U4] a slip in %s", (kind, text, names, read) => {
  const named = (template: string): string => template.replace(/ITEM|KEY1|KEY|LAST/g, (name) => names[name] ?? name);

  // No list of windlass.yaml has maps as items.
  test.each(slips.filter(([title]) => !(kind === "windlass.yaml" && title.endsWith("an indented key"))))(
    "%s gives one error at its line that says what to type",
    async (_title, from, to, says) => {
      const at = text.indexOf(named(from));
      expect(at).toBeGreaterThan(0);
      const line = text.slice(0, at).split("\n").length;
      const problems = await read(text.replace(named(from), () => named(to)));
      const errors = problems.filter(({ severity }) => severity === "error");
      expect(errors.map((problem) => `${problem.line}: ${problem.message}; ${problem.hint}`)).toEqual([
        expect.stringMatching(new RegExp(`^${line}: .*${named(says.source)}`)),
      ]);
    },
  );
});

/** Slips in the first line below a key, and around blank lines: the library reports these at another line. */
test.each([
  ["input:\n   a: string\n  b: string\n", 2, "indented with 3 spaces, which is too many; indent it with 2 spaces"],
  ["input:\n a: string\n  b: string\n", 2, "indented with 1 space, which is too few; indent it with 2 spaces"],
  ["a:\n b:\n    c: 1\n  d: 2\n", 2, "indented with 1 space, which is too few; indent it with 2 spaces"],
  [
    "steps:\n   - id: a\n    tool: x\n  - id: b\n",
    2,
    "indented with 3 spaces, which is too many; indent it with 2 spaces",
  ],
  ["steps:\n  - id: a\n\n - id: b\n", 4, "indented with 1 space, which is too few; indent it with 2 spaces"],
  ["steps:\n  - id: a\n\n\t- id: b\n", 4, "a tab cannot indent a line; type spaces"],
  ["steps:\n    id: a\n    tool: x\n\n  - id: b\n", 2, 'does not start with "- "; write - id: a'],
  ['deny:\n    "a_*"\n    - "b_*"\n', 2, 'does not start with "- "; write - "a_*"'],
  ["input:\n  a:string\n  b: string\n", 2, 'a space is missing after "a:"; write a: string'],
  ["params: { a: 1, b: [1, 2\nitems: []\n", 1, "this [ is not closed; write [1, 2]"],
  ["params: {\n  a: { b: 1 },\n  c: [1]\nid: x\n", 1, "this { is not closed; write } at its end"],
  ["text: |\n  a: {\nurl: a[b\nlist: [ x # one\n\n# two\nid: x\n", 4, "this [ is not closed; write [ x ]"],
  ["params: { a: ${input.x}\nid: x\n", 1, 'an expression inside of { } or [ ] needs quotes; write "${input.x}"'],
])("[U4] %j has its slip in line %d", (text, line, says) => {
  const { problems } = parseYaml(text, { file: "f.yaml" });
  const shown = problems.map((problem) => `${problem.line}: ${problem.message}; ${problem.hint}`);
  expect(shown).toEqual([expect.stringMatching(new RegExp(`^${line}: `))]);
  expect(shown[0]).toContain(says);
});

test("[U4] a slip has no further errors as its consequences", async () => {
  const errorsIn = async (text: string): Promise<string[]> => {
    const { problems } = await parseToolFile(text, { file: "f.yaml", executors });
    return problems.map(({ line, message, hint }) => `${line}: ${message}; ${hint}`);
  };
  const start = "name: a\ndescription: b\n";
  const entry = 'entry: { type: http, url: "https://a.example/${input.shop}" }\n';
  expect(await errorsIn(`${start}effect: &pure\nentry: { type: builtin, handler: echo }\n`)).toEqual([
    expect.stringContaining("3: a value that starts with & needs quotes"),
  ]);
  expect(
    await errorsIn(`${start}parameters:\n  - name: item\n    type: string\n    name: shop\n    type: string\n${entry}`),
  ).toEqual([expect.stringContaining('6: duplicate key "name"; keep one of them, or, for another item of a list')]);
  expect(await errorsIn(`${start}parameters:\n  name: shop\n  type: string\n  required: true\n${entry}`)).toEqual([
    '4: the item of the list does not start with "- "; write - name: shop, or only shop: string',
  ]);
  expect(parseWorkspace("chains:\n  directory:flows\n", "f.yaml").problems).toMatchObject([
    { line: 2, hint: "write directory: flows, with a space after the colon" },
  ]);
  expect(parseWorkspace("permissions:\n  deny:\n    -a\n", "f.yaml").problems).toMatchObject([
    { line: 3, hint: "write - a, with a space after the dash" },
  ]);
});

test.each(["!!omap [a: 1]", "!!binary aGk=", "!!timestamp 2001-12-14", "!!set { a, b }", "!custom x"])(
  "[H5] the tag of %s is an error with its position",
  (value) => {
    const { problems } = parseYaml(`name: a\nvalue: ${value}\n`, { file: "f.yaml" });
    expect(problems).toMatchObject([{ severity: "error", code: "unknown_tag", line: 2 }]);
  },
);

test("[H5] the tags of JSON's own types are allowed", () => {
  expect(parseYaml("a: !!str 1\nb: !!int 2\nc: !!map { d: !!seq [1] }\n", { file: "f" })).toMatchObject({
    value: { a: "1", b: 2, c: { d: [1] } },
    problems: [],
  });
});
