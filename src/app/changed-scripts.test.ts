import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folderWith, writeFiles } from "../../test/support/workspace.ts";
import type { ToolResult } from "../tool/index.ts";
import { openWorkspace } from "./open-workspace.ts";

const tool = (command: string): string =>
  `name: deploy\ndescription: Deploys\nentry: { type: external, command: ${command} }\n`;

const files = (command: string): Record<string, string> => ({
  "windlass.yaml": "permissions: { ask: [deploy] }\n",
  "tools/deploy.yaml": tool(command),
  "bin/deploy.sh": "#!/bin/sh\necho good\n",
  "notes.md": "before",
});

async function open(command: string, options: Parameters<typeof openWorkspace>[1] = {}) {
  const dir = await folderWith(files(command));
  await chmod(join(dir, "bin/deploy.sh"), 0o755);
  const workspace = await openWorkspace(dir, { store: "memory", reload: false, ...options });
  const approve = (result: ToolResult): Promise<unknown> =>
    workspace.approvals.decide(result.success ? "" : (result.error.approvalId ?? ""), { approved: true });
  return { dir, workspace, approve, call: () => workspace.engine.call("deploy", {}) };
}

const waits = { error: { code: "approval_required" } };

describe("an approved command", () => {
  test.each(["[sh, bin/deploy.sh]", "[./bin/deploy.sh]", "[env, -i, sh, bin/deploy.sh]"])(
    "[S22] %s whose script has changed needs approval again",
    async (command) => {
      const { dir, workspace, approve, call } = await open(command);
      await approve(await call());
      await writeFiles(dir, { "bin/deploy.sh": "#!/bin/sh\ntouch evil.trace\n" });
      const second = await call();
      expect(second).toMatchObject(waits);
      expect(existsSync(join(dir, "evil.trace"))).toBe(false);
      await writeFiles(dir, { "bin/deploy.sh": "#!/bin/sh\necho better\n" });
      const third = await call();
      expect(third).toMatchObject(waits);
      await approve(third);
      expect(await call()).toMatchObject({ output: "better" });
      await workspace.close();
    },
  );

  test("[S22] a script that changes while the approver decides does not run", async () => {
    const changing: { dir?: string } = {};
    const { dir, workspace, call } = await open("[sh, bin/deploy.sh]", {
      requestApproval: async () => {
        await writeFiles(changing.dir ?? "", { "bin/deploy.sh": "touch evil.trace\n" });
        return { approved: true };
      },
    });
    changing.dir = dir;
    expect(await call()).toMatchObject({ error: { code: "permission_denied" } });
    expect(existsSync(join(dir, "evil.trace"))).toBe(false);
    await workspace.close();
  });

  test("[S22] whose script is unchanged runs, also if a text that it reads has changed", async () => {
    const { dir, workspace, approve, call } = await open("[cat, notes.md]");
    await approve(await call());
    await writeFiles(dir, { "notes.md": "after" });
    expect(await call()).toMatchObject({ output: "after" });
    await workspace.close();
  });
});
