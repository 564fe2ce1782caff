import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { forgetTyped } from "./forget-typed.ts";

describe("what was typed before a question", () => {
  test("is forgotten, and what is typed afterwards is not", async () => {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    input.write("y\n");
    await forgetTyped(input);
    input.write("n\n");
    expect(String(input.read())).toBe("n\n");
  });

  test("is forgotten where the input was read and paused before, as behind every line of a chat", async () => {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    input.on("data", () => {}).pause();
    input.removeAllListeners("data");
    input.write("y\n");
    await forgetTyped(input);
    expect(input.readableLength).toBe(0);
  });

  test("is kept where it is no terminal: a pipe answers in advance", async () => {
    const input = new PassThrough();
    input.write("y\n");
    await forgetTyped(input);
    expect(String(input.read())).toBe("y\n");
  });
});
