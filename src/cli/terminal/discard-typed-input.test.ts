import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { discardTypedInput } from "./discard-typed-input.ts";

describe("input typed before a prompt", () => {
  test("is discarded, and input typed afterwards is not", async () => {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    input.write("y\n");
    await discardTypedInput(input);
    input.write("n\n");
    expect(String(input.read())).toBe("n\n");
  });

  test("is discarded if the input was read and paused before, as after every line of a chat", async () => {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    input.on("data", () => {}).pause();
    input.removeAllListeners("data");
    input.write("y\n");
    await discardTypedInput(input);
    expect(input.readableLength).toBe(0);
  });

  test("is preserved if it is not a terminal: a pipe answers in advance", async () => {
    const input = new PassThrough();
    input.write("y\n");
    await discardTypedInput(input);
    expect(String(input.read())).toBe("y\n");
  });
});
