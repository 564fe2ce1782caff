import { afterEach, expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { folderWith } from "../../test/support/workspace.ts";
import { type Workspace, openWorkspace } from "./index.ts";

const open: Workspace[] = [];
afterEach(async () => {
  for (const workspace of open.splice(0)) await workspace.close();
});

test("thin slice", async () => {
  const dir = await folderWith({
    "windlass.yaml": "",
    "chains/report.yaml": `name: report
input: { n: "string = '1'" }
on:
  - { schedule: "*/5 * * * *", timezone: UTC, input: { n: "\${event.time}" } }
steps:
  - { id: say, tool: calculator, params: { expression: "1+1" } }
output: "\${input.n}"
`,
  });
  const clock = new FakeClock();
  const workspace = await openWorkspace(dir, { reload: false, clock });
  open.push(workspace);
  console.log(workspace.problems());
  console.log(await workspace.triggers.list());
  const stop = new AbortController();
  const serving = workspace.triggers.serve(stop.signal);
  const until = async (ms: number) => {
    for (let i = 0; i < 40; i++) { await new Promise((r) => setTimeout(r, 5)); await clock.pass(ms / 40); }
  };
  await until(301_000);
  await new Promise((r) => setTimeout(r, 100));
  console.log(await workspace.triggers.list(), await workspace.runs.list());
  stop.abort();
  await serving;
  expect(1).toBe(1);
});
