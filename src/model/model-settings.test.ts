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
    for (const name of ["WINDLASS_MODEL_BASE_URL", "WINDLASS_MODEL ", "WINDLASS_MODEL_API_KEY", "windlass.yaml"]) {
      expect(`${message} `.replaceAll(",", " ")).toContain(name);
    }
  });
});
