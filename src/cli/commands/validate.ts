import { hasErrors } from "../../text/index.ts";
import { checkFiles, checkWorkspace, portablePath } from "../check-files.ts";
import type { RunCommand } from "../command-spec.ts";
import { exitCodes } from "../exit-codes.ts";
import { formatCount } from "../format-figures.ts";
import { safeJson } from "../safe-json.ts";
import { tellProblems } from "../tell-problems.ts";
import { tellSlowLoad } from "../tell-slow-load.ts";

/** `windlass validate`. */
export const validateFiles: RunCommand = async (invocation) => {
  const { terminal, words } = invocation;
  const onSlowLoad = tellSlowLoad(terminal);
  const { problems, tools, chains, files } =
    words.length === 0 ? await checkWorkspace(".", onSlowLoad) : await checkFiles(words, onSlowLoad);
  if (invocation.flag("json")) {
    terminal.print(safeJson(problems.map((problem) => ({ ...problem, file: portablePath(problem.file) }))));
  } else if (problems.length === 0) {
    const what = files === undefined ? "the workspace" : formatCount(files, "file");
    const found = [
      ...(tools.length > 0 || chains.length === 0 ? [formatCount(tools.length, "tool")] : []),
      ...(chains.length > 0 ? [formatCount(chains.length, "chain")] : []),
    ];
    terminal.print(`${terminal.paint("green", "ok")}: ${what}, ${found.join(", ")}, no problems`);
  } else {
    await tellProblems(terminal, problems, { dir: "." });
  }
  return hasErrors(problems) ? exitCodes.usage : exitCodes.ok;
};
