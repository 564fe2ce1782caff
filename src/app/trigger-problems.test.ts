import { afterEach, expect, test } from "vitest";
import { folderWith } from "../../test/support/workspace.ts";
import { type Workspace, openWorkspace } from "./index.ts";

const open: Workspace[] = [];
afterEach(async () => {
  for (const workspace of open.splice(0)) await workspace.close();
});

const chain = (name: string, on = ""): string => `name: ${name}
input: { n: number }
${on}steps:
  - { id: say, tool: calculator, params: { expression: "\${input.n}+1" } }
`;

async function workspaceWith(settings: string, chains: Readonly<Record<string, string>> = {}): Promise<Workspace> {
  const files = Object.entries(chains).map(([name, text]) => [`chains/${name}.yaml`, text]);
  const dir = await folderWith({ "windlass.yaml": settings, ...Object.fromEntries(files) });
  const workspace = await openWorkspace(dir, { store: "memory", reload: false });
  open.push(workspace);
  return workspace;
}

test("triggers of the settings run chains of others, and are checked with their positions [P09]", async () => {
  const settings = `timezone: Europe/Berlin
triggers:
  nightly: { chain: report, schedule: "0 3 * * *", input: { n: 1 } }
  gone: { chain: reprt, schedule: "0 3 * * *" }
  wrong: { chain: report, schedule: "0 3 * *", input: { m: 1 } }
  poor: { chain: report, schedule: "0 3 * * *" }
`;
  const workspace = await workspaceWith(settings, { report: chain("report") });
  const found = workspace.problems().map(({ file, line, column, code, hint }) => [file, line, column, code, hint]);
  expect(found).toEqual([
    ["windlass.yaml", 4, 18, "unknown_chain", 'did you mean "report"?'],
    ["windlass.yaml", 5, 37, "bad_schedule", expect.stringContaining("five or six")],
    ["windlass.yaml", 5, 48, "missing_parameter", 'add "n"'],
    ["windlass.yaml", 5, 57, "unknown_parameter", "parameters: n"],
    ["windlass.yaml", 6, 9, "missing_parameter", 'add "n"'],
  ]);
  const [nightly, gone] = await workspace.triggers.list();
  expect(nightly).toMatchObject({ id: "nightly", chain: "report", timezone: "Europe/Berlin", status: "active" });
  expect(gone).toMatchObject({ id: "gone", status: "invalid", message: 'there is no chain "reprt"' });
});

test("two triggers with one id or one webhook are a problem, and the first one fires [P09]", async () => {
  const hook = 'on: [{ webhook: order, verify: github, secret: "${secret.HOOK}", input: { n: 1 } }]\n';
  const named = 'on: [{ id: same, schedule: "0 3 * * *", input: { n: 1 } }]\n';
  const workspace = await workspaceWith("secrets: { HOOK: env }\n", {
    a: chain("a", hook),
    b: chain("b", hook),
    c: chain("c", named),
    d: chain("d", named),
  });
  const problems = workspace.problems().map(({ file, line, code, message }) => [file, line, code, message]);
  expect(problems).toEqual([
    ["chains/b.yaml", 3, "duplicate_trigger", "the webhook /order belongs to a-webhook-order; give one another path"],
    ["chains/d.yaml", 3, "duplicate_trigger", 'chains/c.yaml has a trigger with the id "same"; give one another id'],
  ]);
  const statuses = (await workspace.triggers.list()).map(({ chain: name, status }) => [name, status]);
  expect(Object.fromEntries(statuses)).toEqual({ a: "active", b: "invalid", c: "active", d: "invalid" });
});

test("ids are the same in every process, and differ by chain, kind and expression [P09]", async () => {
  const on = `on:
  - { schedule: "0 3 * * *", input: { n: 1 } }
  - { schedule: "0 3 * * *", timezone: UTC, input: { n: 1 } }
  - { schedule: "0 4 * * *", input: { n: 1 } }
  - { file: "inbox/*.md", input: { n: 1 } }
`;
  const chains = { a: chain("a", on), b: chain("b", on) };
  const ids = async (): Promise<string[]> =>
    (await (await workspaceWith("", chains)).triggers.list()).map(({ id }) => id);
  const [first, second] = [await ids(), await ids()];
  expect(first).toEqual(second);
  expect(new Set(first).size).toBe(8);
  expect(first.filter((id) => /^[ab]-(?:schedule|file)-[\da-f]{8}$/.test(id))).toHaveLength(8);
});
