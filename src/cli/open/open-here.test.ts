import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("[S8] commands open workspaces, modules and servers in the files that decide on trust, and nowhere else", () => {
  const files = globSync("src/cli/**/*.ts").filter((file) => !file.endsWith(".test.ts"));
  const using = (call: RegExp): string[] => files.filter((file) => call.test(readFileSync(file, "utf8"))).sort();
  expect(files.length).toBeGreaterThan(100);
  expect(using(/\bopenWorkspace\(/)).toEqual(["src/cli/open/open-here.ts"]);
  const trusting = [...using(/\bopenMcp\(|createToolFolder\(|loadToolFile\(|createSkillFolder\(/)];
  // The list of skills loads no code.
  expect(trusting.filter((file) => !/\btrust\b/.test(readFileSync(file, "utf8")))).toEqual([
    "src/cli/commands/skills/run.ts",
  ]);
});
