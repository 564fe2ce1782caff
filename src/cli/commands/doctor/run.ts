import { stripUnsafe } from "../../../text/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { examineWorkspace } from "./check-workspace.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import type { Finding } from "./check-servers.ts";
import { formatCount } from "../../terminal/format-figures.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import type { Style } from "../../terminal/terminal.ts";

/** `windlass doctor`. */
export const examine: RunCommand = async (invocation) => {
  const { terminal } = invocation;
  const findings = await examineWorkspace({ terminal, network: invocation.flag("network") });
  const failed = findings.filter(({ status }) => status === "fail").length;
  if (invocation.flag("json")) {
    terminal.print(safeJson({ ok: failed === 0, findings }));
  } else {
    const width = Math.max(...findings.map(({ about }) => about.length));
    for (const { about, status, message, todo } of findings) {
      const mark = terminal.paint(styles[status], status.padEnd(4));
      terminal.print(`${mark}  ${about.padEnd(width)}  ${toOneLine(message)}`);
      for (const line of todo === undefined ? [] : stripUnsafe(todo).split("\n")) {
        terminal.print(`${" ".repeat(width + 8)}${terminal.paint("cyan", line)}`);
      }
    }
    terminal.print(`\n${conclusionOf(findings)}`);
  }
  return failed === 0 ? exitCodes.ok : exitCodes.failed;
};

/** The last line: the number of problems, or what is not configured. */
function conclusionOf(findings: readonly Finding[]): string {
  const count = (requested: Finding["status"]): number => findings.filter(({ status }) => status === requested).length;
  const [failed, warned] = [count("fail"), count("warn")];
  if (failed + warned > 0) return `${formatCount(failed, "failure")}, ${formatCount(warned, "warning")}`;
  const off = new Set(findings.filter(({ status }) => status === "off").map(({ about }) => about));
  return off.size === 0 ? "No problems found." : `No problems found. Not configured: ${[...off].join(", ")}.`;
}

const styles: Readonly<Record<Finding["status"], Style>> = { ok: "green", off: "dim", warn: "yellow", fail: "red" };
