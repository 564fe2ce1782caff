import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { folder } from "./cli/windlass.ts";

const dist = new URL("../dist/", import.meta.url).href;

/** What Node tells of a mistake in a script that nobody catches, in a folder with settings that cannot be read. */
async function toldOf(script: string): Promise<string> {
  const code = script.replaceAll(/"windlass(?:\/([\w-]+))?"/g, (_, entry: string = "index") => `"${dist}${entry}.js"`);
  const cwd = await folder({ "windlass.yaml": "colour: blue\n" });
  return spawnSync(process.execPath, ["--input-type=module", "--eval", code], { cwd, encoding: "utf8" }).stderr;
}

const mistakes = [
  {
    what: "a tool whose input is no schema",
    script: `import { defineTool } from "windlass";
             defineTool({ name: "add", description: "Adds.", input: 5, run() {} });`,
    told: 'FailureError: tool "add": `input`: ',
  },
  {
    what: "an agent without a model",
    script: `import { createEngine } from "windlass";
             import { createAgent } from "windlass/agent";
             await createAgent({ engine: createEngine() }).run("hi");`,
    told: "model",
  },
  {
    what: "a runner that there is not",
    script: `import { createEngine } from "windlass";
             import { createAgent } from "windlass/agent";
             createAgent({ engine: createEngine(), runner: "autonomus" });`,
    told: "FailureError: there is no runner",
  },
  {
    what: "a scripted model that was not asked for everything",
    script: `import { scriptedModel } from "windlass/testing";
             scriptedModel(["hi"]).assertComplete();`,
    told: "Error: ",
  },
  {
    what: "settings that cannot be read",
    script: `import { openWorkspace } from "windlass";
             await openWorkspace(".");`,
    told: "colour",
  },
];

test.for(mistakes)("of $what, the built library tells the message with little code", async ({ script, told }) => {
  const text = await toldOf(script);
  expect(text).toContain(told);
  expect(text.length).toBeLessThan(3000);
});
