import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const examples = globSync("examples/*.ts");
const run = promisify(execFile);

test.each(examples)("%s runs, and its assertions hold", async (file) => {
  const { stdout, stderr } = await run(process.execPath, [file], { env: { ...process.env, NO_COLOR: "1" } });
  expect(stdout).toContain("Windlass");
  expect(stderr).toBe("");
});

test("the tour sends no model requests, with any environment variables, and leaves nothing in its workspace", async () => {
  const stored = existsSync("examples/research/.windlass");
  const env = {
    ...process.env,
    NO_COLOR: "1",
    // No server listens there.
    WINDLASS_MODEL_BASE_URL: "http://127.0.0.1:9/v1",
    WINDLASS_MODEL: "none",
    WINDLASS_SEARXNG_URL: "http://127.0.0.1:9",
  };
  const { stdout } = await run(process.execPath, ["examples/tour.ts"], { env });
  expect(stdout).toContain("Sources:\n- Tide mills: corpus:tide-mills.md");
  expect(existsSync("examples/research/.windlass")).toBe(stored);
});

test("there are examples", () => {
  expect(examples.length).toBeGreaterThan(0);
});
