import { join, resolve } from "node:path";
import { exists, findWorkspace, readSettings } from "../../app/index.ts";
import { type Skill, type SkillFolder, loadSkills } from "../../hub/index.ts";
import { type Problem, hasErrors, suggest } from "../../text/index.ts";
import { ToolRegistry } from "../../tool/index.ts";
import { portablePath } from "../check-files.ts";
import type { RunCommand } from "../command-spec.ts";
import { exitCodes } from "../exit-codes.ts";
import { formatCount } from "../format-figures.ts";
import { formatTable } from "../format-table.ts";
import { type Invocation, commandLine, shellWord } from "../invocation.ts";
import { safeJson } from "../safe-json.ts";
import { tellProblems } from "../tell-problems.ts";
import type { Terminal } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

/** `windlass skills`. Reads the front matter of skills and runs nothing. */
export const listSkills: RunCommand = async (invocation) => {
  refuseWords(invocation);
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
    // Where nobody decided about code, that is to be told; run it is never.
    ...(code !== undefined && { code: false }),
  });
  await folder.load();
  const listed = allOf(folder);
  if (invocation.flag("json")) {
    terminal.print(safeJson(listed.map((each) => toWire(each, { dir, code: folder.codeFiles() }))));
  } else if (listed.length === 0) {
    terminal.tell(`There are no skills. A skill is a folder in ${directory}/ with a SKILL.md in it.`);
  } else {
    for (const line of skillTable(listed, terminal)) terminal.print(line);
    const hint = `${commandLine(invocation, "call", "skill", "name=NAME")} shows the instructions of a skill`;
    if (terminal.columns !== undefined) terminal.tell(terminal.tint("dim", hint));
  }
  tellCode(folder.codeFiles(), code, terminal);
  tellFiles(folder.problems(), invocation);
};

/** `windlass skills validate`. */
export const checkSkills: RunCommand = async (invocation) => {
  const { terminal, words } = invocation;
  const others: Problem[] = [];
  const skills = new Map<string, readonly Problem[]>();
  const { validateSkills, unloadedCode } = await loadSkills();
  for (const path of await pathsFor(words)) {
    if (!(await exists(path))) throw new UsageError(`there is no folder ${JSON.stringify(path)}`);
    const dir = await findWorkspace(path);
    const { code } = (await readSettings(dir)).config.skills;
    const found = await validateSkills(path, dir);
    others.push(...found.problems, ...(code === undefined ? found.code.map(unloadedCode) : []));
    tellCode(found.code.map(portablePath), code, terminal);
    for (const skill of found.skills) skills.set(skill.dir, skill.problems);
  }
  const problems = [...others, ...[...skills.values()].flat()];
  if (invocation.flag("json")) {
    terminal.print(safeJson(problems.map((problem) => ({ ...problem, file: portablePath(problem.file) }))));
  } else if (problems.length === 0) {
    terminal.print(`${terminal.paint("green", "ok")}: ${formatCount(skills.size, "skill")}, no problems`);
  } else {
    await tellProblems(terminal, problems, { dir: "." });
  }
  return hasErrors(problems) ? exitCodes.usage : exitCodes.ok;
};

/** The skills of the workspace where no path is given, if it has any. */
async function pathsFor(words: readonly string[]): Promise<readonly string[]> {
  if (words.length > 0) return [...new Set(words.map((word) => resolve(word)))];
  const dir = await findWorkspace(".");
  const skills = join(dir, (await readSettings(dir)).config.skills.directory);
  return (await exists(skills)) ? [skills] : [];
}

interface Listed {
  readonly name: string;
  /** Undefined where the skill cannot be used. */
  readonly skill: Skill | undefined;
  readonly file: string;
  readonly problems: readonly Problem[];
}

/** The skills that can be used, and after them the files that cannot. */
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
  return formatTable(
    listed.map(({ name, skill, problems }) => [name, markOf(skill, problems)]),
    {
      width: terminal.columns,
      paintTitle: (title) => terminal.paint("dim", title),
      columns: [
        { title: "NAME", paint: (cell) => terminal.paint("bold", cell) },
        { title: "WHAT IT DOES", long: "cut" },
      ],
    },
  );
}

function markOf(skill: Skill | undefined, problems: readonly Problem[]): string {
  if (skill === undefined) return `[broken] ${problems.find(({ severity }) => severity === "error")?.message ?? ""}`;
  return skill.hidden ? `[by hand only] ${skill.description}` : skill.description;
}

interface Around {
  /** The workspace. */
  readonly dir: string;
  /** Files beside skills that hold tools. */
  readonly code: readonly string[];
}

function toWire({ name, skill, file, problems }: Listed, { dir, code }: Around): Record<string, unknown> {
  const path = portablePath(join(dir, file));
  const told = problems.map((problem) => ({ ...problem, file: path }));
  if (skill === undefined) return { name, file: path, valid: false, problems: told };
  const { description, license, compatibility, metadata, allowedTools, hidden } = skill;
  return {
    name,
    description,
    file: path,
    ...(license !== undefined && { license }),
    ...(compatibility !== undefined && { compatibility }),
    metadata,
    allowed_tools: allowedTools.map(({ text }) => text),
    hidden,
    code: code.filter((path) => path.startsWith(`${skill.folder}/`)).map((path) => portablePath(join(dir, path))),
    valid: true,
    problems: told,
  };
}

/** Tells which files run as code when the workspace is opened, or that they do not; undecided, it is told as a problem. */
function tellCode(files: readonly string[], code: boolean | undefined, terminal: Terminal): void {
  if (files.length === 0 || code === undefined) return;
  const what = code ? "run" : "not loaded";
  const note = `code beside skills is ${what}, as skills: { code: ${String(code)} } says: ${files.join(", ")}`;
  terminal.tell(terminal.tint("dim", note));
}

function tellFiles(problems: readonly Problem[], invocation: Invocation): void {
  const files = [...new Set(problems.map(({ file }) => file))];
  if (files.length === 0) return;
  const { terminal } = invocation;
  const names = `${files.slice(0, 3).join(", ")}${files.length > 3 ? ", …" : ""}`;
  const how = `${commandLine(invocation, "skills", "validate")} shows what is wrong with ${files.length === 1 ? "it" : "them"}`;
  terminal.tell(`${terminal.tint("yellow", "warning:")} ${names}: ${how}`);
}

/** `windlass skills pdf` comes here, because `list` is what runs without a command. */
function refuseWords(invocation: Invocation): void {
  const [word] = invocation.words;
  if (word === undefined) return;
  const near = suggest(word, ["list", "validate"]);
  const hint =
    near === undefined
      ? `${commandLine(invocation, "call", "skill", `name=${shellWord(word)}`)} shows the skill of that name`
      : `did you mean windlass skills ${near}?`;
  throw new UsageError(`there is no command "skills ${word}"`, hint);
}
