import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentWorkspace } from "./agent-workspace.ts";
import { windlass } from "./windlass.ts";

const boom = `import { defineTool } from "windlass";
import { lookUp } from "../lib/look-up.ts";
export const boom = defineTool({
  name: "boom",
  description: "Looks something up",
  effect: "read",
  run: (): string => lookUp(undefined),
});
`;
const lookUp = "export function lookUp(of: any): string {\n  return of.foo;\n}\n";
const message = "Cannot read properties of undefined (reading 'foo')";

const files = {
  "tools/boom.ts": boom,
  "lib/look-up.ts": lookUp,
  "chains/explode.yaml": "name: explode\nsteps: [{ id: one, tool: boom }]\n",
};

describe.concurrent("a tool of the workspace that throws", () => {
  test("is reported with its name and where it threw, also in its record", async () => {
    const { cwd } = await agentWorkspace([], { files });
    const { code, stderr } = await windlass(["call", "boom"], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain(`error: boom (lib/look-up.ts:2:13): ${message} [execution_error]`);
    expect(stderr).not.toContain(cwd);
    const records = await windlass(["records", "--json"], { cwd });
    expect(JSON.parse(records.stdout)).toMatchObject({
      records: [{ error: { message, thrown_at: "lib/look-up.ts:2:13" } }],
    });
    expect(records.stdout).not.toContain(cwd);
  });

  test("is reported in a run of a chain", async () => {
    const { cwd } = await agentWorkspace([], { files });
    const { stderr } = await windlass(["run", "explode"], { cwd });
    expect(stderr).toContain(`warning: boom threw (lib/look-up.ts:2:13): ${message}`);
  });

  test("is reported to the user of `ask`, and the model only receives its message", async () => {
    const { cwd, server } = await agentWorkspace([{ toolCalls: [{ name: "boom", args: {} }] }, "It does not work."], {
      files,
    });
    const { code, stdout, stderr } = await windlass(["ask", "look"], { cwd });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "It does not work.\n" });
    expect(stderr).toContain(`warning: boom threw (lib/look-up.ts:2:13): ${message}`);
    const requested = JSON.stringify(server.requests[1]?.body);
    expect(requested).toContain(message);
    expect(requested).not.toContain("look-up.ts");
  });

  test("a failure that a tool returns itself has no location", async () => {
    const { cwd } = await agentWorkspace([], { files });
    await writeFile(join(cwd, "lib/look-up.ts"), 'export const lookUp = (): never => { throw "nothing there"; };\n');
    const { stderr } = await windlass(["call", "boom"], { cwd });
    expect(stderr).toContain("error: nothing there [execution_error]");
  });
});
