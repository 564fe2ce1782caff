import { showValue, type ProblemDetail, FileReport } from "../../schema/index.ts";
import { cutText, displayWidth, type ParsedYaml, type Problem, type YamlPath } from "../../text/index.ts";
import { toolNameProblem } from "../../tool/index.ts";
import { hiddenCharacter } from "./load-instructions.ts";

/** The longest texts of the format, in characters. */
export const maxSkillNameLength = 64;
export const maxSkillDescriptionLength = 1_024;
const maxCompatibilityLength = 500;

/** A shorter description hardly explains what the skill does and when to use it. */
const shortDescription = 40;

/** The name of a skill; undefined if it cannot be called by it. Default: the name of the folder. */
export function readName(value: unknown, folder: string, report: SkillReport): string | undefined {
  const source = validSkillName(value, folder, report);
  if (source === undefined) return undefined;
  checkName(source, folder, report);
  const name = toolNameProblem(`skills/${source}`) === undefined ? source : callable(source);
  if (name !== "" && toolNameProblem(`skills/${name}`) === undefined) return name;
  const message = `the name ${showValue(source)} cannot be used; write lower-case letters, digits and hyphens`;
  report.add("unusable", ["name"], { code: "bad_name", message });
  return undefined;
}

function validSkillName(value: unknown, folder: string, report: SkillReport): string | undefined {
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
  if (length > maxSkillNameLength) {
    const message = `"name" may have at most ${maxSkillNameLength} characters, has ${length}`;
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
    .slice(0, maxSkillNameLength)
    .replace(/^-+|-+$/g, "");
}

/** The description; undefined if there is none that can be shown. */
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
    const message = `"description" is short; describe what the skill does, and when to use it`;
    report.add("should", at, { code: "short_description", message });
  }
  return limited(description, { key: "description", maxLength: maxSkillDescriptionLength, report });
}

/** An optional text; undefined if there is none. */
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
  const maxLength = key === "compatibility" ? maxCompatibilityLength : maxSkillDescriptionLength;
  return limited(value.trim(), { key, maxLength, report });
}

/** Cuts text that is too long, so that it does not use tokens in every prompt. */
function limited(
  text: string,
  { key, maxLength, report }: { readonly key: string; readonly maxLength: number; readonly report: SkillReport },
): string {
  const length = text.length <= maxLength ? text.length : charactersOf(text);
  if (length <= maxLength) return text;
  const message = `"${key}" may have at most ${maxLength} characters, has ${length}`;
  report.add("must", [key], { code: "too_long", message, hint: "put the rest into the instructions" });
  return cutText(text, maxLength).text;
}

/** The format counts code points. */
function charactersOf(text: string): number {
  return Array.from(text).length;
}

function isSeen(
  text: string,
  { key, weight, report }: { readonly key: string; readonly weight: ProblemWeight; readonly report: SkillReport },
): boolean {
  const hidden = hiddenCharacter(text);
  if (hidden === undefined) return true;
  const message = `"${key}" contains an invisible character: ${hidden.shown}`;
  report.add(weight, [key], { code: "hidden_text", message, hint: "remove it", inside: [hidden.offset, 1] });
  return false;
}

/**
 * Weight of a rule: a skill that violates it cannot be used; the format requires it, though the skill can be used; the
 * format recommends it.
 */
export type ProblemWeight = "unusable" | "must" | "should";

/** Audience of the problems: an author gets all of them, a loader only those that prevent the use of a skill. */
export type Strictness = "author" | "loader";

const severities: Readonly<Record<Strictness, Readonly<Record<ProblemWeight, Problem["severity"] | undefined>>>> = {
  author: { unusable: "error", must: "error", should: "warning" },
  loader: { unusable: "error", must: "warning", should: undefined },
};

/** The severity of a problem of this weight; undefined if it is not reported. */
export function severityOf(weight: ProblemWeight, strictness: Strictness): Problem["severity"] | undefined {
  return severities[strictness][weight];
}

/** Collects the problems of the front matter of a skill, each with its position. */
export class SkillReport {
  readonly strictness: Strictness;
  readonly #report: FileReport;

  constructor({ text, file, yaml }: { text: string; file: string; yaml: ParsedYaml }, strictness: Strictness) {
    this.strictness = strictness;
    this.#report = new FileReport(text, file, yaml);
  }

  get problems(): readonly Problem[] {
    return this.#report.problems;
  }

  /** Records a problem, if its weight matters to the reader. */
  add(weight: ProblemWeight, path: YamlPath, { code, message, ...detail }: Finding): void {
    const severity = severityOf(weight, this.strictness);
    if (severity !== undefined) this.#report.add(code, path, [message, { ...detail, severity }]);
  }
}

interface Finding extends Omit<ProblemDetail, "severity"> {
  readonly code: string;
  readonly message: string;
}
