import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { pathToFileURL } from "node:url";
import { folderWith, writeFiles } from "../../test/support/workspace.ts";
import { openWorkspace } from "./open-workspace.ts";
import type { Workspace } from "./workspace.ts";

const open: Workspace[] = [];
afterEach(async () => {
  for (const workspace of open.splice(0)) await workspace.close();
});

async function workspaceIn(dir: string): Promise<Workspace> {
  const workspace = await openWorkspace(dir, { reload: false });
  open.push(workspace);
  return workspace;
}

const toolIndex = pathToFileURL(join(import.meta.dirname, "..", "tool", "index.ts")).href;
const viaYaml = (prefix: string): string =>
  `name: shout\ndescription: d\neffect: read\nentry: { type: custom, module: ./say.ts } # ${prefix}\n`;
const viaCode = `import { defineTool } from ${JSON.stringify(toolIndex)};
import { word } from "../lib/word.ts";
export const shout = defineTool({ name: "shout", description: "d", effect: "read", run: () => word });\n`;
const word = (text: string): string => `export const word = "${text}";\n`;
const chain = "name: c\nsteps:\n  - { id: ask, tool: shout, approval: Go? }\n";

test.each([
  ["entry", { "tools/shout.yaml": viaYaml("x") }, { "tools/shout.yaml": viaYaml("y") }],
  ["module", { "tools/shout.yaml": viaYaml("x") }, { "tools/say.ts": "export default () => 2;\n" }],
  ["code", { "tools/shout.ts": viaCode }, { "tools/shout.ts": `${viaCode}// other\n` }],
  ["imported code", { "tools/shout.ts": viaCode }, { "lib/word.ts": word("b") }],
])("a run is not resumed once the %s of one of its tools has changed", async (_what, files, change) => {
  const dir = await folderWith({
    "windlass.yaml": "",
    "chains/c.yaml": chain,
    "tools/say.ts": "export default () => 1;\n",
    "lib/word.ts": word("a"),
    ...files,
  });
  const first = await workspaceIn(dir);
  const waiting = await first.runs.start(await first.loadChain("c"), { runId: "r" });
  expect(waiting.status).toBe("waiting");
  await first.close();

  const same = await workspaceIn(dir);
  expect((await same.runs.resume("r")).status).toBe("waiting");
  await same.close();

  await writeFiles(dir, change);
  const changed = await workspaceIn(dir);
  await expect(changed.runs.resume("r")).rejects.toMatchObject({ code: "run_changed", reason: "tool_changed" });
});

test.each([
  ["module", { "tools/shout.yaml": viaYaml("x") }, { "tools/say.ts": "export default () => 2;\n" }],
  ["imported code", { "tools/shout.ts": viaCode }, { "lib/word.ts": word("b") }],
])("a cached step is executed again once the %s of its tool has changed", async (_what, files, change) => {
  const dir = await folderWith({
    "windlass.yaml": "",
    "chains/c.yaml": "name: c\nsteps:\n  - { id: ask, tool: shout, cache: { ttl: 1h } }\n",
    "tools/say.ts": "export default () => 1;\n",
    "lib/word.ts": word("a"),
    ...files,
  });
  const cached: boolean[] = [];
  for (const runId of ["first", "again", "changed"]) {
    if (runId === "changed") await writeFiles(dir, change);
    const workspace = await workspaceIn(dir);
    const run = await workspace.runs.start(await workspace.loadChain("c"), { runId });
    cached.push(run.log().steps[0]?.cached === true);
    await workspace.close();
  }
  expect(cached).toEqual([false, true, false]);
});

test("tools of files have a revision, those made in code have none", async () => {
  const { engine } = await workspaceIn(
    await folderWith({
      "windlass.yaml": "",
      "tools/shout.yaml": viaYaml("x"),
      "tools/say.ts": "export default () => 1;\n",
    }),
  );
  expect(engine.tools.get("shout")?.revision).toMatch(/^[0-9a-f]{32}$/);
  expect(engine.tools.get("calculator")?.revision).toBeUndefined();
});
