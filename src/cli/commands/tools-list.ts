import { suggest } from "../../text/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { type Invocation, commandLine, shellWord } from "../invocation.ts";
import { tellBroken, withTools } from "../open-tools.ts";
import { safeJson } from "../safe-json.ts";
import { toolTable } from "../tool-table.ts";
import { UsageError } from "../usage-error.ts";
import { toWireTool } from "../wire-tool.ts";

/** `windlass tools`. */
export const listTools: RunCommand = async (invocation) => {
  refuseWords(invocation);
  await withTools(invocation.terminal, (workspace) => {
    const { terminal } = invocation;
    const category = invocation.text("category");
    const tag = invocation.text("tag");
    const tools = workspace.engine.tools.list({
      ...(category !== undefined && { category }),
      ...(tag !== undefined && { tag }),
    });
    if (invocation.flag("json")) {
      terminal.print(safeJson(tools.map((registration) => toWireTool(registration, workspace))));
    } else if (tools.length === 0) {
      terminal.tell("No tool matches.");
    } else {
      for (const line of toolTable(tools, terminal)) terminal.print(line);
      const hint = `${commandLine(invocation, "tools", "show", "NAME")} tells more about a tool`;
      if (terminal.columns !== undefined) terminal.tell(terminal.tint("dim", hint));
    }
    tellBroken(workspace, invocation);
  });
};

/** `windlass tools shwo x` comes here, because `list` is what runs without a command. */
function refuseWords(invocation: Invocation): void {
  const [word] = invocation.words;
  if (word === undefined) return;
  const near = suggest(word, ["list", "show", "search", "capabilities", "schema"]);
  const hints =
    near === undefined
      ? [
          `${commandLine(invocation, "tools", "show", shellWord(word))} shows the tool of that name`,
          `${commandLine(invocation, "tools", "search", shellWord(word))} searches for the word`,
        ]
      : [`did you mean windlass tools ${near}?`];
  throw new UsageError(`there is no command "tools ${word}"`, ...hints);
}
