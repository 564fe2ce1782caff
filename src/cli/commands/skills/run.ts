import { definedOnly } from "../../../base/index.ts";
import { join, resolve } from "node:path";
import { pathExists, findWorkspace, readSettings } from "../../../app/index.ts";
import { type Skill, type SkillFolder, loadSkills } from "../../../hub/index.ts";
import { type Problem, hasErrors } from "../../../text/index.ts";
import { ToolRegistry } from "../../../tool/index.ts";
import { portablePath } from "../validate/check-files.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import { formatCount } from "../../terminal/format-figures.ts";
import { tableFor } from "../../terminal/format-table.ts";
import { type Invocation, commandLine, shellWord } from "../../program/invocation.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { reportProblems } from "../../terminal/report-problems.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { rejectSubcommandWord } from "../../program/reject-subcommand-word.ts";
import { UsageError } from "../../program/usage-error.ts";

/** `windlass skills`. Reads the front matter of skills and runs no code. */
export const listSkills: RunCommand = async (invocation) => {
  const show = (word: string): string => commandLine(invocation, "call", "skill", `name=${shellWord(word)}`);
  rejectSubcommandWord(invocation, {
    of: "skills",
    names: ["list", "validate"],
    hints: (word) => [`show the skill of that name with: ${show(word)}`],
  });
  const { terminal } = invocation;
  const dir = await findWorkspace(".");
  const { directory, code } = (await readSettings(dir)).config.skills;
  const registry = new ToolRegistry();
  const { createSkillFolder } = await loadSkills();
  const folder = createSkillFolder({
    dir: join(dir, directory),
    root: dir,
    registry,
    executors: registry,
    // If the setting is missing, that is reported as a problem; the code never runs here.
    ...(code !== undefined && { code: false }),
  });
  await folder.load();
  const listed = allOf(folder);
  if (invocation.flag("json")) {
    terminal.print(safeJson(listed.map((each) => toWire(each, dir, folder.codeFiles()))));
  } else if (listed.length === 0) {
    terminal.log(`No skills. A skill is a folder in ${directory}/ with a SKILL.md file.`);
  } else {
    for (const line of skillTable(listed, terminal)) terminal.print(line);
    const hint = `show the instructions of a skill with: ${commandLine(invocation, "call", "skill", "name=NAME")}`;
    if (terminal.columns !== undefined) terminal.log(terminal.tint("dim", hint));
  }
  reportSkillCode(folder.codeFiles(), code, terminal);
  reportSkillFiles(folder.problems(), invocation);
};

/** `windlass skills validate`. */
export const checkSkills: RunCommand = async (invocation) => {
  const { terminal, words } = invocation;
  const others: Problem[] = [];
  const skills = new Map<string, readonly Problem[]>();
  const { validateSkills, unloadedCode } = await loadSkills();
  for (const path of await pathsFor(words)) {
    if (!(await pathExists(path))) throw new UsageError(`folder not found: ${JSON.stringify(path)}`);
    const dir = await findWorkspace(path);
    const { code } = (await readSettings(dir)).config.skills;
    const found = await validateSkills(path, dir);
    others.push(...found.problems, ...(code === undefined ? found.code.map(unloadedCode) : []));
    reportSkillCode(found.code.map(portablePath), code, terminal);
    for (const skill of found.skills) skills.set(skill.dir, skill.problems);
  }
  const problems = [...others, ...[...skills.values()].flat()];
  if (invocation.flag("json")) {
    terminal.print(safeJson(problems.map((problem) => ({ ...problem, file: portablePath(problem.file) }))));
  } else if (problems.length === 0) {
    terminal.print(`${terminal.paint("green", "ok")}: ${formatCount(skills.size, "skill")}, no problems`);
  } else {
    await reportProblems(terminal, problems, { dir: "." });
  }
  return hasErrors(problems) ? exitCodes.usage : exitCodes.ok;
};

/** Defaults to the skills of the workspace, if it has any. */
async function pathsFor(words: readonly string[]): Promise<readonly string[]> {
  if (words.length > 0) return [...new Set(words.map((word) => resolve(word)))];
  const dir = await findWorkspace(".");
  const skills = join(dir, (await readSettings(dir)).config.skills.directory);
  return (await pathExists(skills)) ? [skills] : [];
}

interface Listed {
  readonly name: string;
  /** Undefined if the skill is invalid. */
  readonly skill: Skill | undefined;
  readonly file: string;
  readonly problems: readonly Problem[];
}

/** The valid skills, followed by the invalid files. */
function allOf(folder: SkillFolder): readonly Listed[] {
  const byFile = Map.groupBy(folder.problems(), ({ file }) => file);
  const skills = folder.skills();
  const used = new Set(skills.map(({ file }) => file));
  const broken = [...byFile].filter(([file, problems]) => !used.has(file) && hasErrors(problems));
  return [
    ...skills.map((skill) => ({ name: skill.name, skill, file: skill.file, problems: byFile.get(skill.file) ?? [] })),
    ...broken.map(([file, problems]) => ({ name: folderName(file), skill: undefined, file, problems })),
  ];
}

function folderName(file: string): string {
  return file.replace(/\/[^/]*\.md$/i, "").replace(/^.*\//, "");
}

function skillTable(listed: readonly Listed[], terminal: Terminal): string[] {
  const rows = listed.map(({ name, skill, problems }) => [name, markOf(skill, problems)]);
  return tableFor(
    terminal,
    [
      { title: "NAME", style: "bold" },
      { title: "DESCRIPTION", long: "cut" },
    ],
    rows,
  );
}

function markOf(skill: Skill | undefined, problems: readonly Problem[]): string {
  if (skill === undefined) return `[broken] ${problems.find(({ severity }) => severity === "error")?.message ?? ""}`;
  return skill.hidden ? `[manual only] ${skill.description}` : skill.description;
}

/** A skill in JSON output. `dir` is the workspace, `code` are the files next to skills that contain tools. */
function toWire(
  { name, skill, file, problems }: Listed,
  dir: string,
  code: readonly string[],
): Record<string, unknown> {
  const path = portablePath(join(dir, file));
  const report = problems.map((problem) => ({ ...problem, file: path }));
  if (skill === undefined) return { name, file: path, valid: false, problems: report };
  const { description, license, compatibility, metadata, allowedTools, hidden } = skill;
  return {
    name,
    description,
    file: path,
    ...definedOnly({ license, compatibility }),
    metadata,
    allowed_tools: allowedTools.map(({ text }) => text),
    hidden,
    code: code.filter((path) => path.startsWith(`${skill.folder}/`)).map((path) => portablePath(join(dir, path))),
    valid: true,
    problems: report,
  };
}

/**
 * Reports which code files are loaded with the workspace, or that they are not; if the setting is missing, that is
 * reported as a problem.
 */
function reportSkillCode(files: readonly string[], code: boolean | undefined, terminal: Terminal): void {
  if (files.length === 0 || code === undefined) return;
  const what = code ? "a trusted workspace loads the code next to skills" : "code next to skills is not loaded";
  const note = `${what}, because of skills: { code: ${String(code)} }: ${files.join(", ")}`;
  terminal.log(terminal.tint("dim", note));
}

function reportSkillFiles(problems: readonly Problem[], invocation: Invocation): void {
  const files = [...new Set(problems.map(({ file }) => file))];
  if (files.length === 0) return;
  const { terminal } = invocation;
  const names = `${files.slice(0, 3).join(", ")}${files.length > 3 ? ", …" : ""}`;
  const how = `${files.length === 1 ? "has" : "have"} problems; for details: ${commandLine(invocation, "skills", "validate")}`;
  terminal.log(`${terminal.tint("yellow", "warning:")} ${names}: ${how}`);
}
