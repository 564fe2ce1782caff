import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { folder } from "./cli/windlass.ts";

const dist = new URL("../dist/", import.meta.url).href;

/** The output of Node for an uncaught mistake in a script, in a folder with invalid settings. */
async function reportedOf(script: string): Promise<string> {
  const code = script.replaceAll(/"windlass(?:\/([\w-]+))?"/g, (_, entry: string = "index") => `"${dist}${entry}.js"`);
  const cwd = await folder({ "windlass.yaml": "colour: blue\n" });
  return spawnSync(process.execPath, ["--input-type=module", "--eval", code], { cwd, encoding: "utf8" }).stderr;
}

const mistakes = [
  {
    what: "a tool whose input is no schema",
    script: `import { defineTool } from "windlass";
             defineTool({ name: "add", description: "Adds.", input: 5, run() {} });`,
    message: 'FailureError: tool "add": `input`: ',
  },
  {
    what: "an agent without a model",
    script: `import { createEngine } from "windlass";
             import { createAgent } from "windlass/agent";
             await createAgent({ engine: createEngine() }).run("hi");`,
    message: "model",
  },
  {
    what: "a runner that there is not",
    script: `import { createEngine } from "windlass";
             import { createAgent } from "windlass/agent";
             createAgent({ engine: createEngine(), runner: "autonomus" });`,
    message: "FailureError: there is no runner",
  },
  {
    what: "a scripted model that was not asked for everything",
    script: `import { scriptedModel } from "windlass/testing";
             scriptedModel(["hi"]).assertComplete();`,
    message: "Error: ",
  },
  {
    what: "settings that cannot be read",
    script: `import { openWorkspace } from "windlass";
             await openWorkspace(".");`,
    message: "colour",
  },
];

test.for(mistakes)("for $what, the built library prints the message with little code", async ({ script, message }) => {
  const text = await reportedOf(script);
  expect(text).toContain(message);
  expect(text.length).toBeLessThan(3000);
});
