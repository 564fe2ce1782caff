import type { Dirent } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import { isInsideFolder, resolveRealPath } from "../../base/index.ts";
import type { Problem } from "../../text/index.ts";
import {
  type ScannedFile,
  type ScannedFolder,
  readDirectory,
  isFolder,
  isSkippedFile,
  isLinkOutside,
  workspacePath,
  scanFile,
  scanFolder,
  fileStamp,
} from "../tool-folder/scan-folder.ts";
import type { Skill } from "./skill.ts";

/** A folder with a SKILL.md. */
export interface ScannedSkill extends Pick<Skill, "dir" | "folder" | "entry" | "file"> {
  /** Changes whenever the file does; undefined if it is not a regular file. */
  readonly stamp: string | undefined;
  /** The file is a link that leads out of the folder. */
  readonly outside: boolean;
}

/** Content of a folder of skills. */
export interface ScannedSkills extends ScannedFolder {
  readonly skills: readonly ScannedSkill[];
}

/** Maximum depth of groups of skills; deeper folders are not scanned. */
const maxDepth = 4;

/** A tree with more folders is something else than a folder of skills. */
const maxFolders = 10_000;

/** Folders of a skill that contain neither skills nor tools, regardless of their content. */
const reservedSkillFolders: ReadonlySet<string> = new Set(["scripts", "references", "assets", "tools"]);

/**
 * Finds skills: folders with a SKILL.md, also in groups. And code beside them: files in the folder itself, `tool.*` and
 * `tools/` of every folder. Links to folders are followed inside of the workspace; a folder that does not exist is empty.
 */
export async function scanSkills(dir: string, root: string): Promise<ScannedSkills> {
  const scan = new Scan(root);
  await scan.start(dir);
  const byFile = (a: { file: string }, b: { file: string }): number => (a.file < b.file ? -1 : 1);
  return {
    skills: scan.skills.toSorted(byFile),
    files: scan.code.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    problems: scan.problems.toSorted(byFile),
  };
}

/** The files of one skill that may contain tools. */
export async function scanCode(dir: string, root: string): Promise<readonly ScannedFile[]> {
  const scan = new Scan(root);
  await scan.tools(dir, await readDirectory(dir));
  return scan.code.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

class Scan {
  readonly skills: ScannedSkill[] = [];
  readonly code: ScannedFile[] = [];
  readonly problems: Problem[] = [];
  readonly #root: string;
  /** Targets of visited links: none is visited twice. */
  readonly #linked = new Set<string>();
  #folders = 0;

  constructor(root: string) {
    this.#root = root;
  }

  async start(dir: string): Promise<void> {
    const entries = await readDirectory(dir);
    if (entries.length === 0) return;
    if ((await resolveRealPath(dir, this.#root)).kind === "outside") {
      this.problems.push(isLinkOutside(workspacePath(this.#root, dir)));
      return;
    }
    const stray = entries.find(isSkillFile);
    if (stray !== undefined) this.problems.push(strayFile(workspacePath(this.#root, join(dir, stray.name))));
    await this.#files(dir, entries);
    await mapInSlices(entries, async (entry) => {
      if (!(await this.#isFolder(dir, entry))) return;
      const found = await this.#visit(join(dir, entry.name), 1);
      if (!found) this.problems.push(noSkill(workspacePath(this.#root, join(dir, entry.name))));
    });
  }

  /** Scans a folder; returns false if it has neither skills nor tools. */
  async #visit(dir: string, depth: number): Promise<boolean> {
    if (++this.#folders > maxFolders) {
      if (this.#folders === maxFolders + 1) this.problems.push(tooMany(workspacePath(this.#root, dir)));
      return true;
    }
    const entries = await readDirectory(dir);
    // The exact name goes before its variants.
    const skill = entries.find(({ name }) => name === "SKILL.md") ?? entries.find(isSkillFile);
    if (skill !== undefined) this.skills.push(await this.#skill(dir, skill));
    let found = (await this.tools(dir, entries)) || skill !== undefined;
    // Skills do not nest: another SKILL.md inside is one of its files.
    if (skill !== undefined || depth >= maxDepth) return found;
    for (const entry of entries) {
      if (reservedSkillFolders.has(entry.name) || !(await this.#isFolder(dir, entry))) continue;
      if (await this.#visit(join(dir, entry.name), depth + 1)) found = true;
    }
    return found;
  }

  async #skill(dir: string, entry: Dirent): Promise<ScannedSkill> {
    const path = join(dir, entry.name);
    const outside = entry.isSymbolicLink() && (await resolveRealPath(path, dir)).kind !== "inside";
    const folder = workspacePath(this.#root, dir);
    return { dir, folder, entry: entry.name, file: `${folder}/${entry.name}`, stamp: await fileStamp(path), outside };
  }

  /** True if this is a folder to scan. Links count if they stay in the workspace. */
  async #isFolder(dir: string, entry: Dirent): Promise<boolean> {
    if (isSkippedFile(entry.name)) return false;
    if (!entry.isSymbolicLink()) return entry.isDirectory();
    const path = join(dir, entry.name);
    if (!(await isFolder(path))) return false;
    if ((await resolveRealPath(path, this.#root)).kind !== "inside") {
      this.problems.push(isLinkOutside(workspacePath(this.#root, path)));
      return false;
    }
    const [real, here] = await Promise.all([realpath(path), realpath(dir)]);
    // A link to an ancestor, or to a folder already visited through another link.
    if (isInsideFolder(here, real) || this.#linked.has(real)) return false;
    this.#linked.add(real);
    return true;
  }

  async #files(dir: string, entries: readonly Dirent[]): Promise<boolean> {
    let found = false;
    for (const entry of entries) {
      const file = entry.isDirectory() ? undefined : await scanFile(dir, entry, this.#root);
      if (file === undefined) continue;
      this.code.push(file);
      found = true;
    }
    return found;
  }

  /** Collects files that may be tools of a folder; returns false if there are none. */
  async tools(dir: string, entries: readonly Dirent[]): Promise<boolean> {
    const found = await this.#files(
      dir,
      entries.filter(({ name }) => /^tool\.\w+$/.test(name)),
    );
    if (!entries.some((entry) => entry.name === "tools" && !entry.isFile())) return found;
    const { files, problems } = await scanFolder(join(dir, "tools"), this.#root);
    this.code.push(...files);
    this.problems.push(...problems);
    return found || files.length > 0;
  }
}

function isSkillFile({ name }: Dirent): boolean {
  return name.length === 8 && name.toLowerCase() === "skill.md";
}

function strayFile(file: string): Problem {
  const message = "a skill has a folder of its own; this file is not loaded";
  const hint = `move it to ${file.replace(/[^/]+$/, "NAME/SKILL.md")}`;
  return { severity: "warning", code: "stray_skill", message, hint, file, line: 1, column: 1 };
}

function noSkill(file: string): Problem {
  const message = `there is no SKILL.md in the folder ${JSON.stringify(basename(file))}`;
  const hint = "write one, or put _ before the name of a folder that is not a skill";
  return { severity: "warning", code: "no_skill", message, hint, file, line: 1, column: 1 };
}

function tooMany(file: string): Problem {
  const message = `there are more than ${maxFolders} folders; from here on none is looked into`;
  return { severity: "error", code: "too_many_folders", message, file, line: 1, column: 1 };
}

/** Files open at the same time are few on some systems. */
const width = 64;

/** Works on many items with limited concurrency; returns the results in order. */
export async function mapInSlices<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += width) {
    results.push(...(await Promise.all(items.slice(at, at + width).map((item) => work(item)))));
  }
  return results;
}
