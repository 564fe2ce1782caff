import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const examples = globSync("examples/*.ts");

test.each(examples)("%s runs, and finds what it shows to be so", async (file) => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], {
    env: { ...process.env, NO_COLOR: "1" },
  });
  expect(stdout).toContain("Windlass");
  expect(stderr).toBe("");
});

test("there are examples", () => {
  expect(examples.length).toBeGreaterThan(0);
});
