import { describe, expect, test } from "vitest";
import type { PromptContext, PromptSender, ToolPrompt } from "./entry-prompt.ts";
import { parseToolFile } from "./tool-file.ts";

const head = "name: t\ndescription: d\nparameters:\n  item: string\n  shop: { type: object, optional: true }\n";

const withEntry = (lines: string, more = ""): string =>
  `${head}${more}entry:\n  type: prompt\n${lines.replaceAll(/^/gm, "  ")}\n`;

interface Sent {
  readonly prompt: ToolPrompt;
  readonly args: unknown;
}

function recorder(sent: Sent[] = [], unavailable?: string): PromptSender {
  return {
    send: (prompt, args) => Promise.resolve(`answer ${sent.push({ prompt, args })}`),
    unavailable: () => unavailable,
    timeoutMs: (model) => (model === "slow" ? 600_000 : undefined),
  };
}

const parse = (text: string, prompts?: PromptSender) =>
  parseToolFile(text, { file: "t.yaml", prompts, modelNames: ["default", "slow"] });

const shownProblems = async (text: string): Promise<string[]> =>
  (await parse(text)).problems.map(
    ({ severity, code, line, column, message, hint = "" }) =>
      `${severity} ${code} ${line}:${column} ${message} | ${hint}`,
  );

describe("[U22] a prompt entry", () => {
  test("is a tool that reads, and sends its prompt with the arguments of the call", async () => {
    const sent: Sent[] = [];
    const text = withEntry('system: Be brief.\nprompt: "About ${input.item}"\ntemperature: 0\nmax_tokens: 9');
    const { tool, problems } = await parse(text, recorder(sent));
    expect(problems).toEqual([]);
    expect(tool).toMatchObject({ effect: "read", destructive: false, timeoutMs: 120_000 });
    expect(tool?.output?.json).toEqual({ type: "string", minLength: 1 });
    expect(tool?.unavailable?.()).toBeUndefined();
    expect(await tool?.run({ item: "rope" }, {} as PromptContext as never)).toBe("answer 1");
    expect(sent).toMatchObject([
      {
        args: { item: "rope" },
        prompt: {
          tool: "t",
          system: "Be brief.",
          message: ["About ", { root: "input", path: ["item"] }],
          parameters: ["item", "shop"],
          required: ["item"],
          temperature: 0,
          maxTokens: 9,
          timeoutMs: 120_000,
        },
      },
    ]);
    expect(sent[0]?.prompt.schema).toBeUndefined();
  });

  test("refuses undeclared parameters, and shows its examples", async () => {
    const { tool } = await parse(withEntry("prompt: p", "examples: [{ item: rope }]\n"), recorder());
    expect(tool?.input.json).toMatchObject({ additionalProperties: false, examples: [{ item: "rope" }] });
  });

  test.each([
    ["output: string\n", undefined],
    ["output: { type: string, enum: [a, b] }\n", undefined],
    ["output: { type: object, properties: { a: integer }, required: [a] }\n", { a: { type: "integer" } }],
  ])("declares its answer with %j", async (output, properties) => {
    const sent: Sent[] = [];
    const { tool } = await parse(withEntry("prompt: p", output), recorder(sent));
    await tool?.run({ item: "x" }, {} as never);
    expect(sent[0]?.prompt.schema?.json["properties"]).toEqual(properties);
  });

  test.each([
    ["prompt: p", "", 120_000, 120_000],
    ["prompt: p\ntimeout: 30", "", 30_000, 30_000],
    ["prompt: p\ntimeout: 30\nmodel: slow", "", 600_000, 600_000],
    ["prompt: p\nmodel: slow", "timeout: 5\n", 5_000, 5_000],
  ])("%j has a timeout", async (entry, more, timeoutMs, ofPrompt) => {
    const sent: Sent[] = [];
    const { tool } = await parse(withEntry(entry, more), recorder(sent));
    await tool?.run({ item: "x" }, {} as never);
    expect([tool?.timeoutMs, sent[0]?.prompt.timeoutMs]).toEqual([timeoutMs, ofPrompt]);
  });

  test("is unavailable if its model is, or if nothing can send it", async () => {
    expect((await parse(withEntry("prompt: p"), recorder([], "no key"))).tool?.unavailable?.()).toBe("no key");
    const { tool } = await parse(withEntry("prompt: p"));
    expect(tool?.unavailable?.()).toBe("no model is available to tool files");
    expect(() => tool?.run({ item: "x" }, {} as never)).toThrow(
      expect.objectContaining({ code: "not_available", reason: "no_model" }) as Error,
    );
  });

  test.each([
    [
      "an unknown parameter, in its line of a text",
      withEntry("prompt: |\n  First line.\n\n  About ${input.itm} and more."),
      'error unknown_reference 11:11 ${input.itm}: there is no parameter "itm" | did you mean "item"?',
    ],
    [
      "a reference without its root",
      withEntry('prompt: "About ${item}"'),
      'error bad_reference 8:18 ${item} is not a reference | did you mean "${input.item}"?',
    ],
    [
      "a parameter in the instructions",
      withEntry("prompt: p\nsystem: |\n  You sell\n  ${input.item}."),
      'error bad_reference 11:5 ${input.item} is in the instructions | write it in "prompt", where values are data',
    ],
    [
      "a secret",
      withEntry('prompt: "Use ${secret.KEY}"'),
      "error bad_reference 8:16 ${secret.KEY} would send a secret to a model | ",
    ],
    [
      "a placeholder of another language",
      withEntry('prompt: "About {{item}}"'),
      'warning foreign_template 8:18 "{{item}}" is not a reference, and is sent unchanged | did you mean "${input.item}"?',
    ],
    [
      "an unknown model",
      withEntry("prompt: p\nmodel: slwo"),
      'warning unknown_model 9:10 the workspace has no model "slwo" | did you mean "slow"?',
    ],
    [
      "an output that is a list",
      withEntry("prompt: p", "output: { type: array, items: string }\n"),
      "error bad_value 6:9 a model answers with a text or an object | write string, or put it into an object: { type: object, properties: { … } }",
    ],
    ["no prompt", withEntry("system: s"), 'error missing_key 6:1 "entry" needs the key "prompt" | '],
    [
      "an unknown key",
      withEntry("prompt: p\ntemprature: 1"),
      'error unknown_key 9:3 unknown key "temprature" | did you mean "temperature"?',
    ],
    [
      "a temperature that is too high",
      withEntry("prompt: p\ntemperature: 3"),
      'error bad_value 9:16 "temperature" must be at most 2, got 3 | ',
    ],
    [
      "invisible characters",
      withEntry('prompt: "a\\u202eb"'),
      'error hidden_text 8:11 "prompt" contains invisible characters: "a<U+202E>b" | ',
    ],
  ])("is reported with %s, with the position", async (_name, text, problem) => {
    expect(await shownProblems(text)).toEqual([problem]);
  });
});
