import { showValue } from "../../schema/index.ts";
import { cutText, displayWidth } from "../../text/index.ts";
import { toolNameProblem } from "../../tool/index.ts";
import { hiddenCharacter } from "./hidden-text.ts";
import type { SkillReport, Weight } from "./skill-report.ts";

/** The longest texts of the format, in characters. */
export const longestName = 64;
export const longestDescription = 1_024;
const longestCompatibility = 500;

/** A description that takes less room hardly says what the skill does and when to use it. */
const shortDescription = 40;

/** The name of a skill; undefined where it cannot be called by it. Without a name the folder gives it. */
export function readName(value: unknown, folder: string, report: SkillReport): string | undefined {
  const given = nameOf(value, folder, report);
  if (given === undefined) return undefined;
  checkName(given, folder, report);
  const name = toolNameProblem(`skills/${given}`) === undefined ? given : callable(given);
  if (name !== "" && toolNameProblem(`skills/${name}`) === undefined) return name;
  const message = `nothing of the name ${showValue(given)} can be used; write lower-case letters, digits and hyphens`;
  report.add("unusable", ["name"], { code: "bad_name", message });
  return undefined;
}

function nameOf(value: unknown, folder: string, report: SkillReport): string | undefined {
  if (value === undefined) {
    const message = `the front matter needs the key "name"`;
    report.add("must", [], { code: "missing_key", message, hint: `write: name: ${folder}` });
    return folder;
  }
  if (typeof value !== "string" && typeof value !== "number") {
    report.add("must", ["name"], { code: "wrong_type", message: `"name" must be text, got ${showValue(value)}` });
    return folder;
  }
  const name = String(value).trim();
  if (name === "") {
    report.add("must", ["name"], { code: "bad_name", message: `"name" must not be empty`, hint: `write: ${folder}` });
    return folder;
  }
  if (typeof value === "number") {
    const message = `"name" must be text, got the number ${value}`;
    report.add("must", ["name"], { code: "wrong_type", message, hint: "put quotes around it" });
  }
  return isSeen(name, { key: "name", weight: "unusable", report }) ? name : undefined;
}

function checkName(name: string, folder: string, report: SkillReport): void {
  const length = charactersOf(name);
  if (length > longestName) {
    const message = `"name" may have at most ${longestName} characters, has ${length}`;
    report.add("must", ["name"], { code: "too_long", message });
  }
  const wrong = wrongInName(name);
  if (wrong !== undefined) {
    const hint = callable(name) === "" ? undefined : `write: ${callable(name)}`;
    report.add("must", ["name"], { code: "bad_name", message: `"name" ${wrong}`, hint });
  }
  if (name.normalize("NFKC") !== folder.normalize("NFKC")) {
    const message = `"name" is ${showValue(name)}, and the folder is called ${showValue(folder)}; they must be the same`;
    report.add("must", ["name"], { code: "name_mismatch", message, hint: "rename one of the two" });
  }
}

function wrongInName(name: string): string | undefined {
  if (name !== name.toLowerCase()) return "must be in lower case";
  if (/^-|-$/.test(name)) return "must not start or end with a hyphen";
  if (name.includes("--")) return "must not have two hyphens in a row";
  const [other] = /[^\p{L}\p{N}-]/u.exec(name) ?? [];
  return other === undefined ? undefined : `may have letters, digits and hyphens, not ${showValue(other)}`;
}

/** The nearest name that the format allows. */
function callable(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .slice(0, longestName)
    .replace(/^-+|-+$/g, "");
}

/** The description; undefined where there is none that can be shown. */
export function readDescription(value: unknown, report: SkillReport): string | undefined {
  const at = ["description"];
  if (value === undefined) {
    const message = `the front matter needs the key "description"; a model chooses the skill by it`;
    report.add("unusable", [], { code: "missing_key", message });
    return undefined;
  }
  if (typeof value !== "string" || value.trim() === "") {
    const message = `"description" must be a text that is not empty, got ${showValue(value)}`;
    report.add("unusable", at, { code: typeof value === "string" ? "bad_value" : "wrong_type", message });
    return undefined;
  }
  if (!isSeen(value, { key: "description", weight: "unusable", report })) return undefined;
  const description = value.trim();
  if (displayWidth(description) < shortDescription) {
    const message = `"description" is short; say what the skill does, and when to use it`;
    report.add("should", at, { code: "short_description", message });
  }
  return limited(description, { key: "description", longest: longestDescription, report });
}

/** An optional text; undefined where there is none. */
export function readShortText(
  value: unknown,
  key: "license" | "compatibility",
  report: SkillReport,
): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string" || value.trim() === "") {
    const message = `"${key}" must be a text that is not empty, got ${showValue(value)}`;
    report.add("must", [key], { code: typeof value === "string" ? "bad_value" : "wrong_type", message });
    return undefined;
  }
  if (!isSeen(value, { key, weight: "must", report })) return undefined;
  const longest = key === "compatibility" ? longestCompatibility : longestDescription;
  return limited(value.trim(), { key, longest, report });
}

interface Limit {
  readonly key: string;
  readonly longest: number;
  readonly report: SkillReport;
}

/** What is too long is cut, so that nobody pays for it in every prompt. */
function limited(text: string, { key, longest, report }: Limit): string {
  const length = text.length <= longest ? text.length : charactersOf(text);
  if (length <= longest) return text;
  const message = `"${key}" may have at most ${longest} characters, has ${length}`;
  report.add("must", [key], { code: "too_long", message, hint: "put the rest into the instructions" });
  return cutText(text, longest).text;
}

/** The format counts code points. */
function charactersOf(text: string): number {
  return Array.from(text).length;
}

interface Seen {
  readonly key: string;
  readonly weight: Weight;
  readonly report: SkillReport;
}

function isSeen(text: string, { key, weight, report }: Seen): boolean {
  const hidden = hiddenCharacter(text);
  if (hidden === undefined) return true;
  const message = `"${key}" holds a character that nobody sees: ${hidden.shown}`;
  report.add(weight, [key], { code: "hidden_text", message, hint: "remove it", inside: [hidden.offset, 1] });
  return false;
}
