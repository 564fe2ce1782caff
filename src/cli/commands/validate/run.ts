import { hasErrors } from "../../../text/index.ts";
import { checkFiles, checkWorkspace, portableProblem } from "./check-files.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import { formatCount } from "../../terminal/format-figures.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { reportProblems } from "../../terminal/report-problems.ts";
import { trustOptions } from "../../open/open-here.ts";
import { reportSlowLoad } from "../../open/report-slow-load.ts";

/** `windlass validate`. */
export const validateFiles: RunCommand = async (invocation) => {
  const { terminal, words } = invocation;
  const options = { onSlowLoad: reportSlowLoad(terminal), trust: trustOptions(terminal) };
  const { problems, tools, chains, allowed, files } =
    words.length === 0 ? await checkWorkspace(".", options) : await checkFiles(words, options);
  if (invocation.flag("json")) {
    terminal.print(safeJson(problems.map(portableProblem)));
  } else if (problems.length === 0) {
    const checked = files === undefined ? "the workspace" : formatCount(files, "file");
    const found = [
      ...(tools.length > 0 || chains.length === 0 ? [formatCount(tools.length, "tool")] : []),
      ...(chains.length > 0 ? [formatCount(chains.length, "chain")] : []),
    ];
    terminal.print(`${terminal.paint("green", "ok")}: ${checked}, ${found.join(", ")}, no problems`);
  } else {
    await reportProblems(terminal, problems, { dir: "." });
  }
  for (const step of invocation.flag("json") ? [] : (allowed ?? [])) terminal.print(terminal.paint("dim", step));
  return hasErrors(problems) ? exitCodes.usage : exitCodes.ok;
};
