import { describe, expect, test } from "vitest";
import { type ModelSettingsFile, noModel, readModelSettings } from "./index.ts";

const base = "http://127.0.0.1:11434/v1";

describe("a model's settings", () => {
  test("are undefined if nothing names a model", () => {
    expect(readModelSettings({ env: {} })).toBeUndefined();
    expect(readModelSettings({ file: {}, env: { WINDLASS_MODEL: " " } })).toBeUndefined();
  });

  test("come from the environment first, then from the file", () => {
    const file = {
      base_url: base,
      model: "small",
      api_key: "KEY",
      timeout: 60,
      max_tokens: 900,
      structured: "words" as const,
    };
    const secret = (name: string) => (name === "KEY" ? "sk-1" : undefined);
    expect(readModelSettings({ file: { default: file }, env: {}, secret })).toMatchObject({
      baseUrl: base,
      name: "small",
      apiKey: "sk-1",
      timeoutMs: 60_000,
      maxTokens: 900,
      structured: "words",
    });
    const env = { WINDLASS_MODEL: "large" };
    expect(readModelSettings({ file: { default: file }, env, secret })).toMatchObject({
      baseUrl: base,
      name: "large",
      apiKey: "sk-1",
    });
  });

  test("are refused if they are incomplete", () => {
    expect(() => readModelSettings({ env: { WINDLASS_MODEL: "m" } })).toThrow(/set WINDLASS_MODEL_BASE_URL/);
    expect(() => readModelSettings({ file: { default: { base_url: base } }, env: {} })).toThrow(
      /set WINDLASS_MODEL, or models\.default\.model/,
    );
  });

  test("never show a key that was written in place of its name", () => {
    const file = { base_url: base, model: "m", api_key: "sk-live-123" };
    expect(() => readModelSettings({ file: { default: file }, env: {} })).toThrow(/^(?!.*sk-live).*names no secret/);
  });

  test("say what to set for a secret without a value", () => {
    const file = { fast: { base_url: base, model: "m", api_key: "${secret.KEY}" } };
    const whyNoSecret = (name: string) => (name === "KEY" ? "set the environment variable KEY" : undefined);
    expect(() => readModelSettings({ file, env: {}, whyNoSecret }, "fast")).toThrow(
      "models.fast.api_key is the secret KEY, which has no value: set the environment variable KEY",
    );
  });

  test("list all variables if no model is configured", () => {
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

describe("an address, with its protocol, key and price,", () => {
  const price = { input: 3, output: 15 };
  const claude = { provider: "anthropic" as const, model: "claude", api_key: "${secret.K}", price, max_tokens: 900 };
  const openai = { base_url: "https://api.openai.com/v1", model: "gpt", api_key: "K" };
  const secret = (): string => "sk-of-file";
  const read = (file: ModelSettingsFile, env: Readonly<Record<string, string>>) =>
    readModelSettings({ file: { default: file }, env, secret });
  /** The settings without their key hint. */
  const plain = (file: ModelSettingsFile, env: Readonly<Record<string, string>>) => {
    const { keyHint: _hint, keySource: _source, ...settings } = read(file, env) ?? { name: "none" };
    return settings;
  };

  test("come from the environment together: the file's protocol, key and price are ignored", () => {
    const env = { WINDLASS_MODEL_BASE_URL: base, WINDLASS_MODEL: "qwen3" };
    expect(plain(claude, env)).toEqual({ baseUrl: base, name: "qwen3", maxTokens: 900 });
    expect(read(claude, env)?.keyHint).toMatch(/the server that windlass\.yaml names.*set WINDLASS_MODEL_API_KEY/);
    expect(plain(openai, { WINDLASS_MODEL_PROVIDER: "google", WINDLASS_MODEL: "gemini", GEMINI_API_KEY: "g" })).toEqual(
      {
        provider: "google",
        name: "gemini",
        apiKey: "g",
      },
    );
  });

  test.each([
    ["http://127.0.0.1:18931/v1"],
    ["https://openrouter.ai/api/v1"],
    ["http://api.openai.com/v1"],
    ["https://api.openai.com:444/v1"],
    ["https://api.openai.com.evil.example/v1"],
  ])("the file's key is not sent to %s of the environment", (url) => {
    const env = { WINDLASS_MODEL_BASE_URL: url, WINDLASS_MODEL: "m" };
    expect(read(openai, env)).not.toHaveProperty("apiKey");
    expect(read(openai, { ...env, WINDLASS_MODEL_API_KEY: "sk-own" })).toMatchObject({ apiKey: "sk-own" });
    expect(read(openai, { ...env, OPENROUTER_API_KEY: "sk-or" })?.apiKey).toBe(
      url.includes("openrouter") ? "sk-or" : undefined,
    );
  });

  test.each(["no address", "data:,", "file:///etc"])("no key is sent to %s, which is not a server address", (url) => {
    const env = { WINDLASS_MODEL_BASE_URL: url, WINDLASS_MODEL: "m", WINDLASS_MODEL_API_KEY: "sk-own" };
    expect(read({ ...openai, base_url: url }, env)).not.toHaveProperty("apiKey");
  });

  test("a key of the file without a value only matters if it would be sent", () => {
    const file = { default: openai };
    const env = { WINDLASS_MODEL_BASE_URL: base, WINDLASS_MODEL: "m" };
    expect(readModelSettings({ file, env, secret: () => undefined })).toMatchObject({ baseUrl: base });
    expect(() => readModelSettings({ file, env: {}, secret: () => undefined })).toThrow(
      /names no secret .*, or set WINDLASS_MODEL_API_KEY$/,
    );
  });

  test("the file's key and price apply if the environment names the same server and model", () => {
    const file = { ...openai, price };
    const env = { WINDLASS_MODEL_BASE_URL: "https://API.openai.com/v1/", WINDLASS_MODEL: "gpt" };
    expect(read(file, env)).toMatchObject({ apiKey: "sk-of-file", price });
    expect(read(file, { ...env, WINDLASS_MODEL: "gpt-large" })).not.toHaveProperty("price");
  });

  test("a price alone applies to the model that the environment names", () => {
    const env = { WINDLASS_MODEL_BASE_URL: base, WINDLASS_MODEL: "qwen3" };
    expect(plain({ price }, env)).toEqual({ baseUrl: base, name: "qwen3", price });
  });

  const evil = { base_url: "https://evil.example/v1", model: "x" };
  test.each([
    [{ WINDLASS_MODEL_API_KEY: "sk-mine" }],
    [{ WINDLASS_MODEL_API_KEY: "sk-mine", WINDLASS_MODEL: "claude" }],
    [{ WINDLASS_MODEL_API_KEY: "sk-mine", WINDLASS_MODEL_PROVIDER: "openai-compatible" }],
    [{ ANTHROPIC_API_KEY: "sk-mine", OPENAI_API_KEY: "sk-mine" }],
  ])("an address of the file gets no key of the environment: %j", (env) => {
    const settings = read(evil, env);
    expect(settings).toMatchObject({ baseUrl: evil.base_url });
    expect(JSON.stringify(settings)).not.toContain("sk-mine");
  });

  test("an address of the file is used without the key of the environment, and a hint says how to send it", () => {
    const { keyHint } = read(evil, { WINDLASS_MODEL_API_KEY: "sk-mine" }) ?? {};
    expect(keyHint).toMatch(/set WINDLASS_MODEL_BASE_URL to it as well, or models\.default\.api_key/);
    const env = { WINDLASS_MODEL_API_KEY: "sk-mine", WINDLASS_MODEL_BASE_URL: evil.base_url };
    expect(read(evil, env)).toMatchObject({ apiKey: "sk-mine" });
  });

  test("the address of a provider that the environment names is that provider's own, with its key", () => {
    const env = { WINDLASS_MODEL_PROVIDER: "anthropic", WINDLASS_MODEL: "claude", WINDLASS_MODEL_API_KEY: "sk-mine" };
    const own = { provider: "anthropic", name: "claude", apiKey: "sk-mine" };
    expect(plain(evil, env)).toEqual(own);
    expect(plain({ ...evil, provider: "anthropic" }, env)).toEqual(own);
  });

  test("the address of a well-known service in the file gets the key of an environment that names no server", () => {
    const { api_key: _key, ...file } = openai;
    expect(read(file, { WINDLASS_MODEL_API_KEY: "sk-mine" })).toMatchObject({ apiKey: "sk-mine" });
    expect(read(openai, { WINDLASS_MODEL_API_KEY: "sk-mine" })).toMatchObject({ apiKey: "sk-mine" });
  });
});

describe("the standard key of a service", () => {
  const address = (url: string) => ({ WINDLASS_MODEL: "m", WINDLASS_MODEL_BASE_URL: url });

  test.each([
    ["OPENAI_API_KEY", address("https://api.openai.com/v1")],
    ["DEEPSEEK_API_KEY", address("https://api.deepseek.com")],
    ["MISTRAL_API_KEY", address("https://api.mistral.ai/v1")],
    ["GROQ_API_KEY", address("https://api.groq.com/openai/v1")],
    ["XAI_API_KEY", address("https://api.x.ai/v1")],
    ["MOONSHOT_API_KEY", address("https://api.moonshot.ai/v1")],
    ["MOONSHOT_API_KEY", address("https://api.moonshot.cn/v1")],
    ["ZAI_API_KEY", address("https://api.z.ai/api/paas/v4")],
    ["ZHIPUAI_API_KEY", address("https://open.bigmodel.cn/api/paas/v4")],
    ["ANTHROPIC_API_KEY", { WINDLASS_MODEL: "m", WINDLASS_MODEL_PROVIDER: "anthropic" }],
    ["GEMINI_API_KEY", { WINDLASS_MODEL: "m", WINDLASS_MODEL_PROVIDER: "google" }],
    ["GOOGLE_API_KEY", { WINDLASS_MODEL: "m", WINDLASS_MODEL_PROVIDER: "google" }],
  ])("%s is sent to that service if no other key is named", (variable, named) => {
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
    // The key belongs to another server.
    { ...address("https://api.openai.com/v1"), OPENAI_BASE_URL: "http://127.0.0.1:1234/v1" },
  ])("is sent nowhere else: %j", (env) => {
    expect(readModelSettings({ env: { ...keys, ...env } })).not.toHaveProperty("apiKey");
  });

  test.each([
    [address("https://api.openai.com/v1"), "set OPENAI_API_KEY or WINDLASS_MODEL_API_KEY"],
    [
      { WINDLASS_MODEL: "m", WINDLASS_MODEL_PROVIDER: "google" },
      "set GEMINI_API_KEY or GOOGLE_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY or WINDLASS_MODEL_API_KEY",
    ],
    [address("https://api.mistral.ai/v1"), "set MISTRAL_API_KEY or WINDLASS_MODEL_API_KEY"],
    [address("https://models.example/v1"), "set WINDLASS_MODEL_API_KEY"],
    [
      { ...address("https://api.openai.com/v1"), OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://127.0.0.1:1/v1" },
      "OPENAI_API_KEY is sent to the server in OPENAI_BASE_URL: set WINDLASS_MODEL_API_KEY",
    ],
  ])("is named if it is missing: %j", (env, hint) => {
    expect(readModelSettings({ env })?.keyHint).toBe(hint);
  });

  test("is named for models of a file, together with the file's own setting", () => {
    const file = {
      fast: { provider: "anthropic" as const, model: "m" },
      other: { base_url: "https://models.example/v1", model: "m" },
    };
    const hint = (name: string) => readModelSettings({ file, env: {} }, name)?.keyHint;
    expect(hint("fast")).toBe("set ANTHROPIC_API_KEY or models.fast.api_key in windlass.yaml");
    expect(hint("other")).toBe("set models.other.api_key in windlass.yaml");
  });

  test("does not select a model or a server by itself, but the message lists lines that would", () => {
    expect(readModelSettings({ env: keys })).toBeUndefined();
    expect(() => readModelSettings({ env: { ...keys, WINDLASS_MODEL: "qwen3" } })).toThrow(
      /no setting says where the model is: set WINDLASS_MODEL_BASE_URL.*\n.*=anthropic WINDLASS_MODEL=qwen3 .*\n/,
    );
  });

  test("an unknown provider is reported with corrected lines", () => {
    const env = { WINDLASS_MODEL: "gpt-5", WINDLASS_MODEL_PROVIDER: "openai", OPENAI_API_KEY: "k" };
    const line = "export WINDLASS_MODEL_PROVIDER=openai-compatible WINDLASS_MODEL_BASE_URL=https://api.openai.com/v1";
    expect(() => readModelSettings({ env })).toThrow(`${line} WINDLASS_MODEL=gpt-5 `);
  });

  test.each([
    [{ ANTHROPIC_API_KEY: "k" }, "export WINDLASS_MODEL_PROVIDER=anthropic WINDLASS_MODEL="],
    [{ GOOGLE_API_KEY: "k" }, "export WINDLASS_MODEL_PROVIDER=google WINDLASS_MODEL="],
    [{ OPENAI_API_KEY: "k" }, "export WINDLASS_MODEL_BASE_URL=https://api.openai.com/v1 WINDLASS_MODEL="],
    [{ DEEPSEEK_API_KEY: "k" }, "export WINDLASS_MODEL_BASE_URL=https://api.deepseek.com/v1 WINDLASS_MODEL="],
  ])("%j yields one line to copy, and no other line, if no model is configured", (env, line) => {
    const { message } = noModel("ask", { env });
    const [first, second, ...others] = message.split("\n");
    expect(first).toContain("ask needs a model");
    expect(second).toContain(line);
    expect(others).toEqual([]);
  });

  test("configured models, none of them the default, are suggested instead", () => {
    expect(noModel("ask", { env: keys, names: ["fast", "slow"] }).message).toBe(
      "ask needs a model, and none is the default (there are fast, slow): name one with --model fast or " +
        'agent: { model: fast } in windlass.yaml, or name one "default"',
    );
  });
});
