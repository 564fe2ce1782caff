import { type AnyTool, toAnthropicTools, toGeminiTools, toMcpTools, toOpenAITools } from "../../tool/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { findTool, tellBroken, withTools } from "../open-tools.ts";
import { safeJson } from "../safe-json.ts";

type Format = "openai" | "anthropic" | "gemini" | "mcp";

const formats: Readonly<Record<Format, (tools: readonly AnyTool[]) => readonly unknown[]>> = {
  openai: toOpenAITools,
  anthropic: toAnthropicTools,
  gemini: toGeminiTools,
  mcp: toMcpTools,
};

/** `windlass tools schema`. */
export const printToolSchema: RunCommand = async (invocation) => {
  await withTools(invocation.terminal, (workspace) => {
    const { terminal, words } = invocation;
    const [name] = words;
    // The table of commands allows nothing else.
    const convert = formats[(invocation.text("format") ?? "openai") as Format];
    if (name !== undefined) {
      terminal.print(safeJson(convert([findTool(workspace, name, invocation).tool])[0]));
      return;
    }
    const offered = workspace.engine.tools
      .list()
      .map(({ tool }) => tool)
      .filter(({ status, broken }) => broken === undefined && (status === "active" || status === "deprecated"));
    terminal.print(safeJson(convert(offered)));
    tellBroken(workspace, invocation);
  });
};
