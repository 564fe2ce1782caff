import { expect, test } from "vitest";
import { missingPackageHint } from "./missing-package.ts";

test("a missing package of schemas can be installed, or done without", () => {
  expect(missingPackageHint(new Error("Cannot find package 'zod' imported from /w/tools/add.ts"))).toBe(
    "npm install zod in the workspace, or write the schema as plain JSON Schema, which needs no package",
  );
});

test("any other failure to load is no missing package", () => {
  expect(missingPackageHint(new Error("Cannot find module '/w/tools/none.ts' imported from /w/tools/a.ts"))).toBe(
    undefined,
  );
  expect(missingPackageHint("zod")).toBe(undefined);
});
