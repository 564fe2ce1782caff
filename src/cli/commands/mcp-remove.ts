import { join } from "node:path";
import { findWorkspace } from "../../app/index.ts";
import { isFailureError } from "../../base/index.ts";
import { eraseServer, forgetServer } from "../../hub/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { commandLine } from "../invocation.ts";
import { UsageError } from "../usage-error.ts";

/** `windlass mcp remove`. */
export const removeMcpServer: RunCommand = async (invocation) => {
  const [name = ""] = invocation.words;
  const dir = await findWorkspace(".");
  const files = erase(dir, name);
  if (files.length === 0) {
    throw new UsageError(
      `no file here has an MCP server ${JSON.stringify(name)}`,
      `${commandLine(invocation, "mcp")} lists the servers`,
    );
  }
  forgetServer(join(dir, ".windlass"), name);
  invocation.terminal.tell(`${name} is gone from ${files.join(" and ")}`);
};

function erase(dir: string, name: string): readonly string[] {
  try {
    return eraseServer(dir, name);
  } catch (error) {
    if (isFailureError(error) && error.code === "file_invalid") throw new UsageError(error.message);
    throw error;
  }
}
