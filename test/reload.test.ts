import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { EngineEvent } from "../src/engine/index.ts";
import { type Workspace, openWorkspace } from "../src/app/index.ts";
import { folderWith } from "./support/workspace.ts";

const text = (words: string): string => `name: say
description: Says ${words}
effect: read
parameters: [{ name: message, type: string, required: true }]
entry: { type: builtin, handler: echo }
`;
const nonsense = "name: say\ndescription: 7\nentyr: { type: builtin }\n";

/** Resolves with the first event that fits. */
function until(workspace: Workspace, fits: (event: EngineEvent) => boolean): Promise<EngineEvent> {
  return new Promise((resolve) => {
    const stop = workspace.engine.subscribe((event) => {
      if (!fits(event)) return;
      stop();
      resolve(event);
    });
  });
}

async function keepCalling(workspace: Workspace, goal: { calls: number; done: boolean }): Promise<string[]> {
  const failures: string[] = [];
  while (goal.calls < 10_000 || !goal.done) {
    const batch = Array.from({ length: 50 }, () => workspace.engine.call("say", { message: "hi" }));
    for (const result of await Promise.all(batch)) {
      goal.calls++;
      if (!result.success) failures.push(result.error.message);
    }
    // Timers and watchers get their turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return failures;
}

describe.each([
  ["by interval", "engine: { reload_interval: 0.05 }"],
  ["by watching", "engine: { auto_reload: false, watch_for_changes: true }"],
])("[B17] a tool file edited while 10,000 calls run, %s", (_mode, settings) => {
  test("no call fails, the mistake is reported with its line, and the next valid save is picked up", async () => {
    const dir = await folderWith({ "windlass.yaml": settings, "tools/say.yaml": text("something") });
    const workspace = await openWorkspace(dir, { store: "memory" });
    const file = join(dir, "tools/say.yaml");
    const goal = { calls: 0, done: false };
    const calling = keepCalling(workspace, goal);

    const reported = until(workspace, ({ type }) => type === "load_error");
    await writeFile(file, nonsense);
    expect(await reported).toMatchObject({
      type: "load_error",
      problems: expect.arrayContaining([expect.objectContaining({ line: 3, column: 1 })]) as unknown,
    });
    expect(workspace.engine.tools.get("say")?.description).toBe("Says something");

    const updated = until(workspace, ({ type }) => type === "tool_updated");
    await writeFile(file, text("something else"));
    expect(await updated).toMatchObject({ tool: "say" });
    expect(workspace.engine.tools.get("say")?.description).toBe("Says something else");
    expect(workspace.problems()).toEqual([]);

    goal.done = true;
    expect(await calling).toEqual([]);
    expect(goal.calls).toBeGreaterThanOrEqual(10_000);
    await workspace.close();
  });
});

test("[B17] a running call keeps the tool it started with", async () => {
  const module = (words: string): string => `export default async (_args, ctx) => {
  await new Promise((resolve) => setTimeout(resolve, 300));
  return { words: ${JSON.stringify(words)} };
};
`;
  const dir = await folderWith({
    "windlass.yaml": "",
    "tools/slow.yaml": "name: slow\ndescription: Slow\neffect: read\nentry: { type: custom, module: ./_slow.mjs }\n",
    "tools/_slow.mjs": module("old"),
  });
  const workspace = await openWorkspace(dir, { store: "memory", reload: false });
  const before = workspace.engine.call("slow", {});
  await writeFile(join(dir, "tools/_slow.mjs"), module("new"));
  await workspace.sources.folder.reload();
  const after = workspace.engine.call("slow", {});
  expect(await before).toMatchObject({ success: true, output: { words: "old" } });
  expect(await after).toMatchObject({ success: true, output: { words: "new" } });
  await workspace.close();
});
