import type { CapabilityInfo } from "../../../hub/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { formatTable } from "../../terminal/format-table.ts";
import { commandLine } from "../../program/invocation.ts";
import { reportBrokenFiles, withTools } from "../../open/open-tools.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** `windlass tools capabilities`. */
export const listCapabilities: RunCommand = async (invocation) => {
  await withTools(invocation.terminal, (workspace) => {
    const { terminal } = invocation;
    const all = workspace.hub.capabilities();
    if (invocation.flag("json")) {
      terminal.print(safeJson(all.map(toWireCapability)));
    } else {
      for (const line of capabilityTable(all, terminal)) terminal.print(line);
      const hint = `show the tools of a capability with: ${commandLine(invocation, "tools", "show", "capability:NAME")}`;
      if (terminal.columns !== undefined) terminal.log(terminal.tint("dim", hint));
    }
    reportBrokenFiles(workspace, invocation);
  });
};

function capabilityTable(all: readonly CapabilityInfo[], terminal: Terminal): string[] {
  const rows = all.map((info) => [`capability:${info.name}`, servedBy(info), howUsed(info), contractOf(info) ?? ""]);
  return formatTable(rows, {
    width: terminal.columns,
    paintTitle: (title) => terminal.paint("dim", title),
    columns: [
      { title: "NAME", paint: (cell) => terminal.paint("bold", cell) },
      { title: "SERVED BY", long: "wrap" },
      { title: "HOW", long: "wrap" },
      { title: "CONTRACT" },
    ],
  });
}

function servedBy({ tools, unfit, contract }: CapabilityInfo): string {
  if (contract?.broken !== undefined) return "[broken]";
  const others = unfit.map((text) => text.slice(0, text.indexOf(": ")));
  const left = others.length === 0 ? "" : ` (not by ${others.join(", ")})`;
  return `${tools.length === 0 ? "no tool" : tools.join(", ")}${left}`;
}

/** Describes how the tools of a capability are used; empty if there is only one. */
export function howUsed({ tools, strategy }: CapabilityInfo): string {
  return tools.length < 2 ? "" : strategyTexts[strategy];
}

const strategyTexts: Readonly<Record<CapabilityInfo["strategy"], string>> = {
  pick_best: "several in parallel, first success wins",
  synthesise: "several in parallel, results merged",
  in_turn: "one after another",
};

/** Location of a capability's contract: its file, or `built in`; undefined if it has none. */
export function contractOf({ contract }: CapabilityInfo): string | undefined {
  return contract === undefined ? undefined : (contract.file ?? "built in");
}

/** A capability in JSON output. */
function toWireCapability(info: CapabilityInfo): Record<string, unknown> {
  const { name, tools, unfit, strategy, contract } = info;
  return {
    name: `capability:${name}`,
    ...(contract !== undefined && { description: contract.description, aliases: contract.aliases }),
    tools,
    strategy,
    contract: contractOf(info) ?? null,
    ...(contract?.broken !== undefined && { broken: contract.broken.message }),
    unfit,
  };
}
