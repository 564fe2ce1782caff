import { expect, test } from "vitest";
import { readModelKeys } from "./read-secrets.ts";

test("keys in the environment are secrets; placeholder words are not", () => {
  const keys = ["opensesame", "hunter2", "sk-12345", "a longer phrase"];
  for (const key of keys) expect(readModelKeys({ WINDLASS_MODEL_API_KEY: key })).toEqual([key]);
  for (const word of ["ollama", "none", "EMPTY", "lm-studio", "not-needed", "ollama "]) {
    expect(readModelKeys({ WINDLASS_MODEL_API_KEY: word, OPENAI_API_KEY: word })).toEqual([]);
  }
});

test("every key of a service is a secret, wherever it goes and whichever of several is sent", () => {
  const env = {
    ANTHROPIC_API_KEY: "proxykey-abcdefghijkl",
    ANTHROPIC_BASE_URL: "https://proxy.example/v1",
    GEMINI_API_KEY: "gemini-key-1234567890",
    GOOGLE_API_KEY: " google-key-1234567890 ",
  };
  expect(readModelKeys(env)).toEqual(["proxykey-abcdefghijkl", "gemini-key-1234567890", "google-key-1234567890"]);
});

test("a key with blanks around it is known without them, as it is sent", () => {
  expect(readModelKeys({ WINDLASS_MODEL_API_KEY: " sk-12345\n" })).toEqual(["sk-12345"]);
  for (const none of ["ollama ", " ", ""]) expect(readModelKeys({ WINDLASS_MODEL_API_KEY: none })).toEqual([]);
});
