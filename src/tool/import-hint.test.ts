import { expect, test } from "vitest";
import { importHint } from "./import-hint.ts";

const module = { path: "/w/tools/add.ts", root: "/w" };

test("a missing schema package can be installed, or avoided", () => {
  expect(importHint(new Error("Cannot find package 'zod' imported from /w/tools/add.ts"), module)).toBe(
    "npm install zod in the workspace, or write the schema as plain JSON Schema, which needs no package",
  );
});

test("any other import error is not reported as a missing package", () => {
  expect(importHint(new Error("Cannot find module '/w/tools/none.ts' imported from /w/tools/a.ts"), module)).toBe(
    undefined,
  );
  expect(importHint("zod", module)).toBe(undefined);
});
