import type { CapabilityInfo } from "../../hub/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { contractOf, howUsed, toWireCapability } from "../describe-capability.ts";
import { formatTable } from "../format-table.ts";
import { commandLine } from "../invocation.ts";
import { tellBroken, withTools } from "../open-tools.ts";
import { safeJson } from "../safe-json.ts";
import type { Terminal } from "../terminal.ts";

/** `windlass tools capabilities`. */
export const listCapabilities: RunCommand = async (invocation) => {
  await withTools(invocation.terminal, (workspace) => {
    const { terminal } = invocation;
    const all = workspace.hub.capabilities();
    if (invocation.flag("json")) {
      terminal.print(safeJson(all.map(toWireCapability)));
    } else {
      for (const line of capabilityTable(all, terminal)) terminal.print(line);
      const hint = `${commandLine(invocation, "tools", "show", "capability:NAME")} tells who serves it, and who cannot and why`;
      if (terminal.columns !== undefined) terminal.tell(terminal.tint("dim", hint));
    }
    tellBroken(workspace, invocation);
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
  return `${tools.length === 0 ? "nobody" : tools.join(", ")}${left}`;
}
