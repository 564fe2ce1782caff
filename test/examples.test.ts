import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const examples = globSync("examples/*.ts");
const run = promisify(execFile);

test.each(examples)("%s runs, and finds what it shows to be so", async (file) => {
  const { stdout, stderr } = await run(process.execPath, [file], { env: { ...process.env, NO_COLOR: "1" } });
  expect(stdout).toContain("Windlass");
  expect(stderr).toBe("");
});

test("the tour asks nobody, whatever the environment names, and leaves nothing in its workspace", async () => {
  const kept = existsSync("examples/research/.windlass");
  const env = {
    ...process.env,
    NO_COLOR: "1",
    // Nobody listens there.
    WINDLASS_MODEL_BASE_URL: "http://127.0.0.1:9/v1",
    WINDLASS_MODEL: "none",
    WINDLASS_SEARXNG_URL: "http://127.0.0.1:9",
  };
  const { stdout } = await run(process.execPath, ["examples/tour.ts"], { env });
  expect(stdout).toContain("Sources:\n- Tide mills: corpus:tide-mills.md");
  expect(existsSync("examples/research/.windlass")).toBe(kept);
});

test("there are examples", () => {
  expect(examples.length).toBeGreaterThan(0);
});
