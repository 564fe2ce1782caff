import { describe, expect, test } from "vitest";
import { parseWorkspace } from "./parse-workspace.ts";

function problemsOf(source: string): { code: string; message: string; hint?: string | undefined; line: number }[] {
  return parseWorkspace(source, "windlass.yaml").problems.map(({ code, message, hint, line }) => ({
    code,
    message,
    hint,
    line,
  }));
}

describe("models of a workspace", () => {
  test("are read by their names, with all their options", () => {
    const source = [
      "secrets: { KEY: env }",
      "models:",
      '  default: { provider: anthropic, model: claude-sonnet-5, api_key: "${secret.KEY}", thinking: 4000, fallback: [fast] }',
      '  fast: { base_url: "http://127.0.0.1:1/v1", model: qwen3, thinking: off, temperature: 0.2, timeout: 5,',
      "    max_tokens: 10, structured: words, price: { input: 1, output: 2, cached: 0.1 } }",
    ].join("\n");
    const { config, problems } = parseWorkspace(source, "windlass.yaml");
    expect(problems).toEqual([]);
    expect(config.models).toMatchObject({
      default: { provider: "anthropic", api_key: "${secret.KEY}", thinking: 4000, fallback: ["fast"] },
      fast: { price: { input: 1, output: 2, cached: 0.1 }, structured: "words" },
    });
  });

  test("models under the old key get a hint with the new form", () => {
    const [problem, ...others] = problemsOf('env: []\nmodel: { base_url: "http://x/v1", name: qwen3, timeout: 4 }\n');
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      code: "unknown_key",
      line: 2,
      hint: "write models: { default: { base_url: …, model: …, timeout: … } }",
    });
    expect(problem?.message).toContain("`models`");
  });

  test.each([
    ["model: { default: { base_url: x, model: y } }", "write models: instead"],
    ["model: { fast: { model: y }, slow: { model: z } }", "write models: instead"],
    ["models: { a: { model: x } }\nmodel: { b: { model: y } }", "write b under models:"],
    ["model: gpt-5", "write models: { default: { base_url: …, model: … } }"],
    ["models: { fast: { model: x } }\nmodel: fast", "write agent: { model: fast }"],
    ["model:", "write models: { default: { base_url: …, model: … } }"],
    ["model: [x]", "write models: { default: { base_url: …, model: … } }"],
    ["model: { default: gpt-5 }", "write models: { default: { base_url: …, model: … } }"],
    ["model: { name: x, price: { input: 1, output: 2 } }", "write models: { default: { model: …, price: … } }"],
  ])("models under the old key get a hint that fits the present keys: %j", (source, hint) => {
    expect(problemsOf(source)).toMatchObject([{ code: "unknown_key", hint }]);
  });

  test.each([
    ["an unknown key", "models: { default: { modle: x } }", /modle.*did you mean "model"/s],
    ["an unknown provider", "models: { default: { provider: antropic } }", /provider.*did you mean "anthropic"/s],
    [
      "a service in place of a protocol",
      "models: { default: { provider: ollama, model: qwen3 } }",
      /"ollama" uses the protocol openai-compatible.*write base_url: "http:\/\/127\.0\.0\.1:11434\/v1"/s,
    ],
    [
      "a service beside its address",
      "models: { a: { provider: openai, base_url: 'http://a', model: x } }",
      /leave it out/,
    ],
    ["a name alone", "models: { default: qwen3 }", /write default: \{ base_url: "\S+", model: qwen3 \}/],
    ["an unknown fallback", "models: { default: { fallback: [fats] }, fast: { model: x } }", /did you mean "fast"/],
    ["itself as its fallback", "models: { a: { fallback: [a] } }", /cannot be its own fallback/],
    ["an unknown fallback alone", "models: { default: { fallback: [nope] } }", /"nope"; the only one is "default"/],
    ["half a price", "models: { a: { price: { input: 1 } } }", /output/],
    ["a wrong amount of thinking", "models: { a: { thinking: lots } }", /off, low, medium, high/],
    ["a secret that is none", 'models: { a: { api_key: "${env.KEY}" } }', /write "\$\{secret\.NAME\}"/],
    ["a price below nothing", "models: { a: { price: { input: -1, output: 1 } } }", /at least 0/],
  ])("models with %s are refused at their position", (_, source, expected) => {
    const problems = problemsOf(source);
    expect(problems).toHaveLength(1);
    expect(`${problems[0]?.message} ${problems[0]?.hint}`).toMatch(expected);
  });

  test("may fall back to the default model, which the environment may name", () => {
    expect(problemsOf("models: { fast: { model: x, fallback: [default] } }")).toEqual([]);
  });

  test("models without a name are reported once, with the correct form", () => {
    const [problem, ...others] = problemsOf('env: []\nmodels: { base_url: "http://x/v1", model: qwen3, price: {} }\n');
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      code: "unknown_key",
      line: 2,
      message: '`models` needs a name for each model; "base_url" is a property of a model',
      hint: "write models: { default: { base_url: …, model: …, price: … } }",
    });
  });

  test("may have the names of their parts", () => {
    expect(problemsOf("models: { model: { model: x } }")).toEqual([]);
  });

  const price = "price: { input: 1, output: 2 }";
  test.each([
    ["agent: { cost_budget: 1 }", "default"],
    [`agent: { call_cost_budget: 1 }\nmodels: { default: { ${price} }, b: { model: x } }`, "b"],
    [`agent: { cost_budget: 1, model: b }\nmodels: { default: { model: y }, b: { ${price} } }`, "default"],
  ])("models without a price are reported if costs are limited: %s", (source, name) => {
    const { problems } = parseWorkspace(source, "windlass.yaml");
    expect(problems).toMatchObject([
      {
        severity: "warning",
        code: "no_price",
        line: 1,
        message: expect.stringMatching(`_budget, .* a price are not used: ${name}$`),
      },
    ]);
  });

  test("models with a price, and budgets of tokens, are not reported", () => {
    expect(problemsOf(`agent: { cost_budget: 1 }\nmodels: { default: { ${price} } }`)).toEqual([]);
    expect(problemsOf("agent: { token_budget: 1 }")).toEqual([]);
  });

  test.each([
    ["models: { a: { model: m, api_key: sk-live-abc123 } }", "sk-live", /names no secret.*secrets: \{ MY_KEY: env \}/],
    ["models: { a: { model: m, api_key: OPENIA } }\nsecrets: { OPENAI: env }", "OPENIA", /did you mean "OPENAI"\?/],
    ['models: { a: { api_key: "${secret.OTHER}" } }\nsecrets: { K: env }', '"${', /there is no such secret/],
    ["weather: { api_key: abc123 }", "abc123", /names no secret/],
    ["search: { brave_api_key: abc123 }", "abc123", /names no secret/],
  ])("[F17] a key that is written as plain text is reported: %s", (source, value, message) => {
    const { problems } = parseWorkspace(source, "windlass.yaml");
    const position = { line: 1, column: source.indexOf(value) + 1 };
    const reported = { severity: "error", code: "plain_key", message: expect.stringMatching(message), ...position };
    expect(problems).toMatchObject([reported]);
    expect(JSON.stringify(problems)).not.toMatch(/abc123|OPENIA/);
  });

  test.each(["KEY", "${secret.KEY}", "${ secret.KEY }"])("[F17] the declared secret %s is not reported", (key) => {
    const keys = `models: { a: { api_key: "${key}" } }\nweather: { api_key: "${key}" }`;
    expect(problemsOf(`secrets: { KEY: env }\n${keys}\nsearch: { brave_api_key: "${key}" }`)).toEqual([]);
  });

  test("never show a value in place of the name of a secret", () => {
    const shown = JSON.stringify(problemsOf('models: { a: { api_key: "sk-live-${x}" } }'));
    expect(shown).not.toContain("sk-live");
  });
});
