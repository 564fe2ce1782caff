/** The program as `windlass` starts it, also where the table of commands does not have `mcp` yet. */
import type { CommandSpec } from "../../src/cli/command-spec.ts";
import { commandGroups } from "../../src/cli/command-table.ts";
import { mcpServe } from "../../src/cli/mcp-serve-command.ts";
import { startProgram } from "../../src/cli/start-program.ts";

const isThere = commandGroups.some(({ commands }) => commands.some(({ name }) => name === "mcp"));
// Only here is the table written to.
const commands = commandGroups[0]?.commands as CommandSpec[] | undefined;
if (!isThere) commands?.push({ name: "mcp", summary: "serve", commands: [mcpServe] });
await startProgram();
