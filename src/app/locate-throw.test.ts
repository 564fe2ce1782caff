import { describe, expect, test } from "vitest";
import { createThrowLocator } from "./locate-throw.ts";

const dir = import.meta.dirname;
const locate = (...frames: string[]): string | undefined => {
  const error = new Error("a message\n    at (/tmp/nowhere.ts:1:1)");
  error.stack = [`Error: ${error.message}`, ...frames.map((frame) => `    at ${frame}`)].join("\n");
  return createThrowLocator(dir)(error);
};

describe("the position where an error was thrown", () => {
  test.each([
    [`run (file://${dir}/tools/boom.ts?v=0123456789abcdef:2:101)`, "tools/boom.ts:2:101"],
    [`async run (file://${dir}/tools/boom.ts?v=0123456789abcdef-1:2:9)`, "tools/boom.ts:2:9"],
    [`async file://${dir}/tools/boom.ts:2:9`, "tools/boom.ts:2:9"],
    [`file://${dir}/tools/my%20boom.ts?v=0:3:4`, "tools/my boom.ts:3:4"],
    [`Object.run (${dir}/tools/(old)/boom.js:2:9)`, "tools/(old)/boom.js:2:9"],
  ])("%s", (frame, position) => {
    expect(locate(frame)).toBe(position);
  });

  test("is the first in the folder outside packages", () => {
    const frames = ["parse (node:internal/url:1:2)", `f (${dir}/node_modules/zod/index.js:1:1)`, `g (${dir}/a.ts:5:6)`];
    expect(locate(...frames, `h (${dir}/b.ts:7:8)`)).toBe("a.ts:5:6");
  });

  test("is not read out of the message", () => {
    const error = new Error(`it said\n    at run (${dir}/tools/said.ts:1:1)`);
    error.stack = `Error: ${error.message}\n    at run (${dir}/tools/boom.ts:2:9)`;
    expect(createThrowLocator(dir)(error)).toBe("tools/boom.ts:2:9");
  });

  test("is not searched in lines that cannot be file paths", () => {
    const error = new Error("changed later");
    error.stack = `Error: a page\n    at /${"?".repeat(19_000)}(\n    at run (${dir}/tools/boom.ts:2:9)`;
    expect(createThrowLocator(dir)(error)).toBe("tools/boom.ts:2:9");
  });

  test("is undefined if nothing in the folder threw", () => {
    expect(locate("run (/elsewhere/a.ts:1:2)", "<anonymous>", "native", "x (file://%zz/a.ts:1:2)")).toBeUndefined();
    expect(createThrowLocator(dir)(Object.assign(new Error("x"), { stack: 7 as unknown as string }))).toBeUndefined();
  });
});
