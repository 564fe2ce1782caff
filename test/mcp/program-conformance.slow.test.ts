import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type SuiteRun, runProgramSuite } from "./run-conformance.ts";

/** `2025-11-25: 17 of 30`: the scored scenarios that pass. */
function score({ revision, output }: SuiteRun): string {
  const unscored = new Set([...output.matchAll(/^ {2}[✓✗] (\S+) \(.+\)$/gm)].map(([, name]) => name));
  const scenarios = [...output.matchAll(/^([✓✗]) (\S+): \d+ passed/gm)].filter(([, , name]) => !unscored.has(name));
  return `${revision}: ${scenarios.filter(([, mark]) => mark === "✓").length} of ${scenarios.length}`;
}

test("[H22] the guide states how much of the conformance suite the built mcp serve --http passes", async () => {
  const guide = readFileSync("docs/guide/mcp.md", "utf8");
  const stated = [...guide.matchAll(/^\| (\d{4}-\d\d-\d\d) \| (\d+ of \d+) \|/gm)].map(
    ([, revision, figures]) => `${revision}: ${figures}`,
  );
  expect((await runProgramSuite()).map(score)).toEqual(stated);
}, 240_000);
