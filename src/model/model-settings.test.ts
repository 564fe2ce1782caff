import { describe, expect, test } from "vitest";
import { noModel, readModelSettings } from "./index.ts";

const base = "http://127.0.0.1:11434/v1";

describe("a model's settings", () => {
  test("are none where nothing names a model", () => {
    expect(readModelSettings({ env: {} })).toBeUndefined();
    expect(readModelSettings({ file: {}, env: { WINDLASS_MODEL: " " } })).toBeUndefined();
  });

  test("come from the file, the environment first", () => {
    const file = {
      base_url: base,
      model: "small",
      api_key: "KEY",
      timeout: 60,
      max_tokens: 900,
      structured: "words" as const,
    };
    const secret = (name: string) => (name === "KEY" ? "sk-1" : undefined);
    expect(readModelSettings({ file: { default: file }, env: {}, secret })).toEqual({
      baseUrl: base,
      name: "small",
      apiKey: "sk-1",
      timeoutMs: 60_000,
      maxTokens: 900,
      structured: "words",
    });
    const env = { WINDLASS_MODEL: "large", WINDLASS_MODEL_API_KEY: "sk-2" };
    expect(readModelSettings({ file: { default: file }, env, secret })).toMatchObject({
      baseUrl: base,
      name: "large",
      apiKey: "sk-2",
    });
  });

  test("are refused where half of them is missing", () => {
    expect(() => readModelSettings({ env: { WINDLASS_MODEL: "m" } })).toThrow(/set WINDLASS_MODEL_BASE_URL/);
    expect(() => readModelSettings({ file: { default: { base_url: base } }, env: {} })).toThrow(
      /set WINDLASS_MODEL, or models\.default\.model/,
    );
  });

  test("never show a key that stands where its name belongs", () => {
    const file = { base_url: base, model: "m", api_key: "sk-live-123" };
    expect(() => readModelSettings({ file: { default: file }, env: {} })).toThrow(/^(?!.*sk-live).*names no secret/);
  });

  test("are named in full where they are missing", () => {
    const { code, reason, message, retry } = noModel("llm_design").toFailure();
    expect({ code, reason, retry }).toEqual({ code: "not_available", reason: "no_model", retry: "never" });
    for (const name of [
      "WINDLASS_MODEL_BASE_URL=http",
      "WINDLASS_MODEL=",
      "WINDLASS_MODEL_PROVIDER=",
      "windlass.yaml",
    ]) {
      expect(message).toContain(name);
    }
  });
});

describe("the usual key of a service", () => {
  const address = (url: string) => ({ WINDLASS_MODEL: "m", WINDLASS_MODEL_BASE_URL: url });

  test.each([
    ["OPENAI_API_KEY", address("https://api.openai.com/v1")],
    ["DEEPSEEK_API_KEY", address("https://api.deepseek.com")],
    ["ZAI_API_KEY", address("https://api.z.ai/api/paas/v4")],
    ["ZHIPUAI_API_KEY", address("https://open.bigmodel.cn/api/paas/v4")],
    ["ANTHROPIC_API_KEY", { WINDLASS_MODEL: "m", WINDLASS_MODEL_PROVIDER: "anthropic" }],
    ["GEMINI_API_KEY", { WINDLASS_MODEL: "m", WINDLASS_MODEL_PROVIDER: "google" }],
    ["GOOGLE_API_KEY", { WINDLASS_MODEL: "m", WINDLASS_MODEL_PROVIDER: "google" }],
  ])("%s goes to that service, where no other key is named", (variable, named) => {
    const env = { ...named, [variable]: "sk-usual" };
    expect(readModelSettings({ env })).toMatchObject({ apiKey: "sk-usual" });
    expect(readModelSettings({ env: { ...env, WINDLASS_MODEL_API_KEY: "sk-own" } })).toMatchObject({
      apiKey: "sk-own",
    });
  });

  const keys = { OPENAI_API_KEY: "sk-o", ANTHROPIC_API_KEY: "sk-a", GEMINI_API_KEY: "sk-g" };
  test.each([
    address("http://127.0.0.1:11434/v1"),
    address("http://api.openai.com/v1"),
    address("https://api.openai.com:8443/v1"),
    address("https://api.openai.com.evil.example/v1"),
    address("https://api.openai.com@evil.example/v1"),
    address("https://evil.example/api.openai.com"),
    address("no address"),
    { ...address("https://evil.example"), WINDLASS_MODEL_PROVIDER: "anthropic" },
    // The key is that of another server.
    { ...address("https://api.openai.com/v1"), OPENAI_BASE_URL: "http://127.0.0.1:1234/v1" },
  ])("goes nowhere else: %j", (env) => {
    expect(readModelSettings({ env: { ...keys, ...env } })).not.toHaveProperty("apiKey");
  });

  test("names no model and no server by itself, and says which lines would", () => {
    expect(readModelSettings({ env: keys })).toBeUndefined();
    expect(() => readModelSettings({ env: { ...keys, WINDLASS_MODEL: "qwen3" } })).toThrow(
      /nothing says where the model is: set WINDLASS_MODEL_BASE_URL.*\n.*=anthropic WINDLASS_MODEL=qwen3 .*\n/,
    );
  });

  test("a provider that is none is told with lines that mend it", () => {
    const env = { WINDLASS_MODEL: "gpt-5", WINDLASS_MODEL_PROVIDER: "openai", OPENAI_API_KEY: "k" };
    const line = "export WINDLASS_MODEL_PROVIDER=openai-compatible WINDLASS_MODEL_BASE_URL=https://api.openai.com/v1";
    expect(() => readModelSettings({ env })).toThrow(`${line} WINDLASS_MODEL=gpt-5 `);
  });

  test.each([
    [{ ANTHROPIC_API_KEY: "k" }, "export WINDLASS_MODEL_PROVIDER=anthropic WINDLASS_MODEL="],
    [{ GOOGLE_API_KEY: "k" }, "export WINDLASS_MODEL_PROVIDER=google WINDLASS_MODEL="],
    [{ OPENAI_API_KEY: "k" }, "export WINDLASS_MODEL_BASE_URL=https://api.openai.com/v1 WINDLASS_MODEL="],
    [{ DEEPSEEK_API_KEY: "k" }, "export WINDLASS_MODEL_BASE_URL=https://api.deepseek.com/v1 WINDLASS_MODEL="],
  ])("%j is told as a line to copy where there is no model, and nothing else is", (env, line) => {
    const { message } = noModel("ask", { env });
    const [first, second, ...others] = message.split("\n");
    expect(first).toContain("ask needs a model");
    expect(second).toContain(line);
    expect(others).toEqual([]);
  });

  test("models that are there, none of them the default, are told instead", () => {
    expect(noModel("ask", { env: keys, names: ["fast", "slow"] }).message).toBe(
      "ask needs a model, and none is the default (there are fast, slow): name one with --model fast or " +
        "agent: { model: fast } in windlass.yaml, or call one default",
    );
  });
});
