import { isUtf8 } from "node:buffer";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { isInsideFolder, resolveRealPath } from "../../base/index.ts";
import { LineIndex, type Problem, findFrontMatter } from "../../text/index.ts";
import { misleadingCharacter } from "./hidden-text.ts";
import { severityOf, type ProblemWeight } from "./skill-report.ts";

/** Recommended maximum of the format: lines of the file, and 5,000 tokens, estimated in characters. */
const adviseLines = 500;
const adviseChars = 20_000;

/** Links that are checked; a text with more has been made by a program. */
const maxLinks = 500;

/** Links and images of Markdown whose target is in quotes of neither kind: `[text](target "title")`. */
const links = /\]\(\s*<?([^)\s<>]{1,500})>?(?:\s+["'][^)\n]{0,300})?\s*\)/g;

/** Checks the text behind the front matter: can it be read, is it short enough, do its links lead to files? */
export async function checkInstructions(
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
  const found: { target: string; offset: number }[] = [];
  for (const match of prose.slice(from).matchAll(links)) {
    const [whole, target = ""] = match;
    if (/^(?:[a-z][a-z0-9+.-]*:|[#/]|\/\/|\$|\{)/i.test(target)) continue;
    found.push({ target, offset: from + match.index + whole.indexOf(target) });
    if (found.length === maxLinks) break;
  }
  return found;
}

async function wrongTarget(target: string, dir: string): Promise<string | undefined> {
  const path = join(dir, decoded(target.replace(/[?#].*$/, "")));
  if (!isInsideFolder(path, dir))
    return `the link to ${target} leads out of the skill's folder, which no agent follows`;
  const there = await stat(path).catch(() => undefined);
  if (there === undefined) return `the link to ${target} leads to no file`;
  const inside = (await resolveRealPath(path, dir)).kind === "inside";
  return inside ? undefined : `the link to ${target} leads out of the skill's folder, which no agent follows`;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
