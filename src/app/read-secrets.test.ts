import { expect, test } from "vitest";
import { keysIn } from "./read-secrets.ts";

test("keys in the environment are secrets; words that stand in for one are not", () => {
  const keys = ["opensesame", "hunter2", "sk-12345", "a longer phrase"];
  for (const key of keys) expect(keysIn({ WINDLASS_MODEL_API_KEY: key })).toEqual([key]);
  for (const word of ["ollama", "none", "EMPTY", "lm-studio", "not-needed"]) {
    expect(keysIn({ WINDLASS_MODEL_API_KEY: word, OPENAI_API_KEY: word })).toEqual([]);
  }
});
