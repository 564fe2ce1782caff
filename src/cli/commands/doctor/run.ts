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
  if (invocation.flag("json")) {
    terminal.print(safeJson({ ok: failed === 0, findings }));
  } else {
    const width = Math.max(...findings.map(({ about }) => about.length));
    for (const { about, status, message, todo } of findings) {
      const mark = terminal.paint(styles[status], status.padEnd(4));
      terminal.print(`${mark}  ${about.padEnd(width)}  ${oneLine(message)}`);
      for (const line of todo === undefined ? [] : stripUnsafe(todo).split("\n")) {
        terminal.print(`${" ".repeat(width + 8)}${terminal.paint("cyan", line)}`);
      }
    }
    terminal.print(`\n${conclusionOf(findings)}`);
  }
  return failed === 0 ? exitCodes.ok : exitCodes.failed;
};

/** The last line: how many things are wrong, and what is not there. */
function conclusionOf(findings: readonly Finding[]): string {
  const count = (wanted: Finding["status"]): number => findings.filter(({ status }) => status === wanted).length;
  const [failed, warned] = [count("fail"), count("warn")];
  if (failed + warned > 0) return `${formatCount(failed, "failure")}, ${formatCount(warned, "warning")}`;
  const off = new Set(findings.filter(({ status }) => status === "off").map(({ about }) => about));
  return off.size === 0 ? "Everything is in place." : `Nothing is wrong. Not set up: ${[...off].join(", ")}.`;
}

const styles: Readonly<Record<Finding["status"], Style>> = { ok: "green", off: "dim", warn: "yellow", fail: "red" };
