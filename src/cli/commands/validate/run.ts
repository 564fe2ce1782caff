import type { Workspace } from "../../../app/index.ts";
import { hasErrors } from "../../../text/index.ts";
import { type Checked, checkFiles, checkWorkspace, portableProblem } from "./check-files.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import { formatCount } from "../../terminal/format-figures.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { reportProblems } from "../../terminal/report-problems.ts";
import { reportUntrusted, trustOptions, reportSlowLoad } from "../../open/open-here.ts";

/** `windlass validate`. */
export const validateFiles: RunCommand = async (invocation) => {
  const { terminal, words } = invocation;
  const untrusted = new Map<string, Pick<Workspace, "dir" | "untrusted">>();
  const options = {
    onSlowLoad: reportSlowLoad(terminal),
    trust: trustOptions(terminal),
    onUntrusted: (workspace: Pick<Workspace, "dir" | "untrusted">) => untrusted.set(workspace.dir, workspace),
  };
  const checked = words.length === 0 ? await checkWorkspace(".", options) : await checkFiles(words, options);
  const { problems, allowed = [] } = checked;
  for (const workspace of untrusted.values()) reportUntrusted(workspace, terminal);
  if (invocation.flag("json")) {
    terminal.print(safeJson(problems.map(portableProblem)));
  } else {
    if (problems.length === 0) terminal.print(`${terminal.paint("green", "ok")}: ${summary(checked)}, no problems`);
    else await reportProblems(terminal, problems, { dir: "." });
    for (const step of allowed) terminal.print(terminal.paint("dim", step));
  }
  return hasErrors(problems) ? exitCodes.usage : exitCodes.ok;
};

function summary({ tools, chains, files }: Checked): string {
  const checked = files === undefined ? "the workspace" : formatCount(files, "file");
  const found = [
    ...(tools.length > 0 || chains.length === 0 ? [formatCount(tools.length, "tool")] : []),
    ...(chains.length > 0 ? [formatCount(chains.length, "chain")] : []),
  ];
  return `${checked}, ${found.join(", ")}`;
}
