import { join } from "node:path";
import {
  type Finding,
  type StoreOpener,
  databaseFindings,
  examineWorkspace,
  findWorkspace,
  isWorkspaceError,
  nodeFinding,
  readSettings,
  settingsFindings,
  workspaceFile,
} from "../../../app/index.ts";
import { type Problem, hasErrors, stripUnsafe } from "../../../text/index.ts";
import { openHere, trustCommand } from "../../open/open-here.ts";
import { readStore } from "../../open/open-journal.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import { formatCount } from "../../terminal/format-figures.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import { relativeToCwd } from "../../terminal/report-problems.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import type { Style, Terminal } from "../../terminal/terminal.ts";

/** `windlass doctor`. */
export const examine: RunCommand = async (invocation) => {
  const { terminal } = invocation;
  const findings = await examineHere(terminal, invocation.flag("network"));
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

/** Checks the workspace here. Loads its tools, but calls none. */
async function examineHere(terminal: Terminal, network: boolean): Promise<Finding[]> {
  const dir = await findWorkspace(".");
  const { problems, source } = await readSettings(dir);
  const openStore: StoreOpener = async (path) => {
    const store = await readStore(path);
    return { store, close: () => store.close() };
  };
  const unopened = async (wrong: readonly Problem[]): Promise<Finding[]> => [
    nodeFinding(process.versions.node),
    ...settingsFindings(source === undefined ? undefined : relativeToCwd(join(dir, workspaceFile)), wrong),
    ...(await databaseFindings(dir, { shorten: relativeToCwd, openStore })),
  ];
  if (hasErrors(problems)) return unopened(problems);
  const opened = await openHere(terminal).catch(problemsOf);
  if (!("workspace" in opened)) return unopened([...problems, ...opened]);
  try {
    return await examineWorkspace(opened.workspace, {
      network,
      shorten: relativeToCwd,
      reviewCommand: trustCommand(dir),
      openStore,
    });
  } finally {
    await opened.close();
  }
}

/** Problems in the settings that prevent a workspace from opening, once its tools are known. */
function problemsOf(error: unknown): readonly Problem[] {
  if (isWorkspaceError(error)) return error.problems;
  throw error;
}
