import { stripUnsafe } from "../../text/index.ts";
import type { RunCommand } from "../command-spec.ts";
import { examineWorkspace } from "../examine-workspace.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Finding } from "../finding.ts";
import { formatCount } from "../format-figures.ts";
import { oneLine } from "../format-table.ts";
import { safeJson } from "../safe-json.ts";
import { tellSlowLoad } from "../tell-slow-load.ts";
import type { Style } from "../terminal.ts";

/** `windlass doctor`. */
export const examine: RunCommand = async (invocation) => {
  const { terminal } = invocation;
  const findings = await examineWorkspace(".", {
    onSlowLoad: tellSlowLoad(terminal),
    network: invocation.flag("network"),
  });
  const failed = findings.filter(({ status }) => status === "fail").length;
  const warned = findings.filter(({ status }) => status === "warn").length;
  if (invocation.flag("json")) {
    terminal.print(safeJson({ ok: failed === 0, findings }));
  } else {
    const width = Math.max(...findings.map(({ about }) => about.length));
    for (const { about, status, message, todo } of findings) {
      const mark = terminal.paint(styles[status], status.padEnd(4));
      terminal.print(`${mark}  ${about.padEnd(width)}  ${oneLine(message)}`);
      if (todo !== undefined) terminal.print(`${" ".repeat(width + 8)}${terminal.paint("cyan", stripUnsafe(todo))}`);
    }
    const counts = [formatCount(failed, "failure"), formatCount(warned, "warning")];
    terminal.print(failed + warned === 0 ? "\nEverything is in place." : `\n${counts.join(", ")}`);
  }
  return failed === 0 ? exitCodes.ok : exitCodes.failed;
};

const styles: Readonly<Record<Finding["status"], Style>> = { ok: "green", off: "dim", warn: "yellow", fail: "red" };
