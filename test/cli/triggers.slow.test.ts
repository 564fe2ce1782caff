import { expect, test } from "vitest";
import { folder, windlass } from "./windlass.ts";

const files = {
  "windlass.yaml":
    "secrets: { HOOK: env }\ntriggers: { nightly: { chain: sum, schedule: '0 3 * * *', timezone: UTC } }\n",
  "chains/sum.yaml": `name: sum
input: { n: number=1 }
on:
  - { webhook: /sum, verify: standard, secret: "\${secret.HOOK}", input: { n: "\${event.body.n}" } }
steps:
  - { id: add, tool: calculator, params: { expression: "\${input.n} + 1" } }
output: "\${steps.add.output.result}"
`,
};

test("windlass triggers lists, fires, pauses, resumes and approves [P09]", { timeout: 180_000 }, async () => {
  const cwd = await folder(files);
  const run = (...words: string[]): ReturnType<typeof windlass> => windlass(["triggers", ...words], { cwd });
  const listed = await run("--json");
  const common = { chain: "sum", status: "active", waiting: 0 };
  expect(JSON.parse(listed.stdout)).toEqual([
    {
      id: "sum-webhook-sum",
      kind: "webhook",
      expression: "sum",
      overlap: "parallel",
      file: "chains/sum.yaml",
      ...common,
    },
    {
      id: "nightly",
      kind: "schedule",
      expression: "0 3 * * *",
      timezone: "UTC",
      overlap: "skip",
      file: "windlass.yaml",
      next: expect.stringMatching(/T03:00:00.000Z$/),
      ...common,
    },
  ]);
  const fired = await run("fire", "sum-webhook-sum", "--event", '{"body":{"n":41}}');
  expect(fired).toMatchObject({ code: 0, stdout: "42\n" });
  const misfit = await run("fire", "sum-webhook-sum", "--event", '{"body":{"n":"many"}}');
  expect(misfit).toMatchObject({ code: 1, stderr: expect.stringContaining("input of sum: n must be a number") });
  expect(await run("fire", "sum-webhook-sum", "--event", "[]")).toMatchObject({ code: 2 });
  expect(await run("pause", "nightli")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('did you mean "nightly"?'),
  });
  expect(await run("pause", "nightly")).toMatchObject({ code: 0, stdout: "paused: nightly\n" });
  const table = await run();
  expect(table.stdout).toMatch(/^nightly +paused +never/m);
  expect(table.stdout).toMatch(/^sum-webhook-sum +active +\d{4}-/m);
  expect(await run("resume", "nightly")).toMatchObject({ stdout: "resumed: nightly\n" });
  expect(JSON.parse((await run("approve", "nightly", "--json")).stdout)).toMatchObject({
    id: "nightly",
    status: "active",
  });
  expect(await run("aprove", "nightly")).toMatchObject({ code: 2, stderr: expect.stringContaining("approve") });
});

test("windlass triggers without any says how to add one, and creates nothing [P09]", async () => {
  const cwd = await folder({ "chains/sum.yaml": files["chains/sum.yaml"].replace(/^on:\n.*\n/m, "") });
  expect(await windlass(["triggers"], { cwd })).toMatchObject({
    code: 0,
    stdout: "",
    stderr: expect.stringContaining("on: ["),
  });
});
