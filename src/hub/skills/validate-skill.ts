import { readFile, stat } from "node:fs/promises";
import { basename, join, resolve, dirname } from "node:path";
import { resolveRealPath, isInsideFolder, orElse } from "../../base/index.ts";
import { type Problem, hasErrors, LineIndex, findFrontMatter } from "../../text/index.ts";
import { fileProblem } from "../tool-folder/read-text.ts";
import { readDirectory } from "../tool-folder/scan-folder.ts";
import { parseSkill } from "./parse-skill.ts";
import { readFrontMatter } from "./read-front-matter.ts";
import type { SkillFields } from "./skill.ts";
import { mapInSlices, scanCode, scanSkills } from "./scan-skills.ts";
import { isUtf8 } from "node:buffer";
import { misleadingCharacter } from "./load-instructions.ts";
import { severityOf, type ProblemWeight } from "./read-fields.ts";

/** Result of validating a skill. */
export interface ValidatedSkill {
  /** The folder. */
  readonly dir: string;
  readonly valid: boolean;
  /** Its fields, as far as they can be read. */
  readonly fields?: SkillFields;
  /** Errors are against the format, warnings against its advice. Files are absolute paths. */
  readonly problems: readonly Problem[];
}

/**
 * Validates a skill for its author: everything that the format requires and recommends, including the instructions.
 * Reads files and runs nothing.
 *
 * @example
 * ```ts
 * const { valid, problems } = await validateSkill("skills/weekly-report");
 * ```
 */
export async function validateSkill(path: string): Promise<ValidatedSkill> {
  const dir = resolve(path);
  const found = await stat(dir).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    const message = found === undefined ? "there is no such folder" : "a skill is a folder with a SKILL.md in it";
    return judged(dir, [fileProblem(dir, "not_a_folder", message)]);
  }
  const names = (await readDirectory(dir)).map(({ name }) => name);
  const entry = names.find((name) => name === "SKILL.md") ?? names.find((name) => name.toLowerCase() === "skill.md");
  if (entry === undefined) return judged(dir, [fileProblem(dir, "no_skill", "there is no SKILL.md in the folder")]);
  const file = join(dir, entry);
  if ((await resolveRealPath(file, dir)).kind !== "inside") {
    return judged(dir, [fileProblem(file, "outside_skill", "the file is a link that leads out of the folder")]);
  }
  const read = await readFrontMatter(file, file);
  if (read.problem !== undefined) return judged(dir, [read.problem]);
  const { fields, problems } = parseSkill({ ...read, file, entry, folder: basename(dir) }, "author");
  const text = await readFile(file);
  const instructions = await checkInstructions(text, { file, dir });
  return judged(dir, [...problems, ...instructions], fields);
}

function judged(dir: string, problems: readonly Problem[], fields?: SkillFields): ValidatedSkill {
  const sorted = problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
  return { dir, valid: !hasErrors(sorted), ...(fields !== undefined && { fields }), problems: sorted };
}

/** Result of validating one or more skills. Files of problems are absolute paths. */
export interface ValidatedSkills {
  readonly skills: readonly ValidatedSkill[];
  /** Problems other than those of the skills themselves. */
  readonly problems: readonly Problem[];
  /** Files with tools, which run as code if the workspace enables it; absolute paths. */
  readonly code: readonly string[];
}

/** Checks the skill that a path names by its folder or its file, or every skill in a folder of the workspace. */
export async function validateSkills(path: string, root: string): Promise<ValidatedSkills> {
  const source = resolve(path);
  const dir = isSkillFile(basename(source)) ? dirname(source) : source;
  const entries = await readDirectory(dir);
  // A folder that cannot be listed is reported as an invalid skill.
  if (entries.length === 0 || entries.some(({ name }) => isSkillFile(name))) {
    const code = (await scanCode(dir, root)).map(({ path }) => path);
    return { skills: [await validateSkill(dir)], problems: [], code };
  }
  const found = await scanSkills(dir, root);
  const problems = found.problems.map((problem) => ({ ...problem, file: join(root, problem.file) }));
  const skills = await mapInSlices(found.skills, (skill) => validateSkill(skill.dir));
  const code = found.files.map(({ path }) => path);
  if (skills.length + code.length > 0) return { skills, problems, code };
  const wrong = fileProblem(dir, "no_skill", "there are no skills in the folder");
  return { skills, problems: [...problems.filter(({ severity }) => severity === "error"), wrong], code };
}

function isSkillFile(name: string): boolean {
  return name.toLowerCase() === "skill.md";
}

/** Recommended maximum of the format: lines of the file, and 5,000 tokens, estimated in characters. */
const adviseLines = 500;
const adviseChars = 20_000;

/** Links that are checked; a text with more has been made by a program. */
const maxLinks = 500;

/** Links and images of Markdown whose target is in quotes of neither kind: `[text](target "title")`. */
const links = /\]\(\s*<?([^)\s<>]{1,500})>?(?:\s+["'][^)\n]{0,300})?\s*\)/g;

/** Checks the text behind the front matter: can it be read, is it short enough, do its links lead to files? */
async function checkInstructions(
  bytes: Buffer,
  where: { readonly file: string; readonly dir: string },
): Promise<Problem[]> {
  const found = (
    weight: ProblemWeight,
    code: string,
    detail: {
      readonly message: string;
      readonly hint?: string;
      readonly line?: number;
      readonly column?: number;
      readonly length?: number;
    },
  ): Problem => ({
    severity: severityOf(weight, "author") ?? "warning",
    code,
    file: where.file,
    line: 1,
    column: 1,
    ...detail,
  });
  if (!isUtf8(bytes)) return [found("unusable", "not_utf8", { message: "the file is not UTF-8 text" })];
  const text = bytes.toString("utf8").replace(/^\ufeff/, "");
  const lines = new LineIndex(text);
  const front = findFrontMatter(text);
  const body = front.kind === "found" ? text.slice(front.end) : "";
  const problems: Problem[] = [];
  const start = text.length - body.length;
  const hidden = misleadingCharacter(body);
  if (hidden !== undefined) {
    const message = `the file holds ${hidden.shown}, which people do not see and a model does`;
    const position = lines.at(start + hidden.offset);
    problems.push(found("unusable", "hidden_text", { message, hint: "remove it", ...position }));
  }
  if (body.trim() === "") {
    problems.push(found("should", "no_instructions", { message: "there are no instructions after the front matter" }));
  }
  const long = longOnes(text, body);
  if (long !== undefined) {
    problems.push(found("should", "long_instructions", { message: long, hint: "move details into references/" }));
  }
  for (const { target, offset } of linksIn(text, start)) {
    const message = await wrongTarget(target, where.dir);
    if (message === undefined) continue;
    const position = lines.at(offset, offset + target.length);
    problems.push(found("should", "broken_link", { message, hint: "paths start at the skill's folder", ...position }));
  }
  return problems;
}

function longOnes(text: string, body: string): string | undefined {
  const lines = text.split("\n").length;
  if (lines > adviseLines) return `the file has ${lines} lines; at most ${adviseLines} are advised`;
  if (body.length <= adviseChars) return undefined;
  return `the instructions have ${body.length} characters; about ${adviseChars}, or 5,000 tokens, are advised`;
}

/** Relative links of the text outside of code, with their offsets. */
function linksIn(text: string, from: number): { target: string; offset: number }[] {
  // Code is blanked out with its length unchanged, so that offsets stay valid.
  const prose = text.replace(/^(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1[^\n]*$|`[^`\n]*`/gm, (code) =>
    code.replace(/[^\n]/g, " "),
  );
  const relative = prose
    .slice(from)
    .matchAll(links)
    .filter(([, target = ""]) => !/^(?:[a-z][a-z0-9+.-]*:|[#/]|\/\/|\$|\{)/i.test(target))
    .take(maxLinks);
  return Array.from(relative, ({ 0: whole, 1: target = "", index }) => ({
    target,
    offset: from + index + whole.indexOf(target),
  }));
}

async function wrongTarget(target: string, dir: string): Promise<string | undefined> {
  const plain = target.replace(/[?#].*$/, "");
  const path = join(
    dir,
    orElse(() => decodeURIComponent(plain), plain),
  );
  if (!isInsideFolder(path, dir))
    return `the link to ${target} leads out of the skill's folder, which no agent follows`;
  const there = await stat(path).catch(() => undefined);
  if (there === undefined) return `the link to ${target} leads to no file`;
  const inside = (await resolveRealPath(path, dir)).kind === "inside";
  return inside ? undefined : `the link to ${target} leads out of the skill's folder, which no agent follows`;
}
