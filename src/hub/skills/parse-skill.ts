import { isMap } from "../../schema/index.ts";
import { type ParsedYaml, type Problem, hasErrors, parseYaml, suggest } from "../../text/index.ts";
import { readAllowedTools } from "./allowed-tools.ts";
import { readDescription, readName, readShortText } from "./read-fields.ts";
import { readMetadata } from "./read-metadata.ts";
import { repairYaml } from "./repair-yaml.ts";
import type { SkillFields } from "./skill.ts";
import { SkillReport, type Strictness, severityOf } from "./skill-report.ts";

/** The front matter of a skill, and where it stands. */
export interface SkillText {
  /** From the first line on, for the places of problems. */
  readonly text: string;
  readonly yaml: string;
  readonly bom: boolean;
  /** Named in problems. */
  readonly file: string;
  /** The name of the file itself, within its folder. */
  readonly entry: string;
  /** The name of the folder. */
  readonly folder: string;
}

/** What became of a front matter. There are no fields where the skill cannot be used. */
export interface ParsedSkill {
  readonly fields: SkillFields | undefined;
  readonly problems: readonly Problem[];
}

/** What the format knows. */
const knownKeys = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/** What a model does not start by itself; taken from other agents, since to ignore it would do what it forbids. */
const hiddenKey = "disable-model-invocation";

/** What other agents put there. It has no effect here. */
const foreignKeys: ReadonlySet<string> = new Set(
  (
    "user-invocable argument-hint arguments when_to_use version author tags model effort context agent hooks paths " +
    "shell mode category dependencies"
  ).split(" "),
);

/**
 * Reads the front matter of a SKILL.md. For authors everything that the format says is held against it; a loader takes
 * what can be used, with warnings, so that skills written for other agents work.
 */
export function parseSkill(given: SkillText, strictness: Strictness): ParsedSkill {
  const { yaml, repaired } = readYaml(given, strictness);
  const report = new SkillReport({ text: given.text, file: given.file, yaml }, strictness);
  const { value } = yaml;
  if (value === undefined || hasErrors(yaml.problems)) return { fields: undefined, problems: report.problems };
  if (!isMap(value)) {
    report.add("unusable", [], { code: "wrong_type", message: "the front matter must be a map of keys and values" });
    return { fields: undefined, problems: report.problems };
  }
  checkFile(given, report);
  checkKeys(value, report);
  const fields = readFields(value, { given, yaml, report });
  return { fields, problems: [...repaired, ...report.problems] };
}

/** Unquoted texts with a colon are no YAML, and what many agents take; a loader reads them as they are meant. */
function readYaml(given: SkillText, strictness: Strictness): { yaml: ParsedYaml; repaired: readonly Problem[] } {
  const { file } = given;
  const yaml = parseYaml(given.yaml, { file });
  const first = yaml.problems.find(({ severity }) => severity === "error");
  if (first === undefined || strictness === "author") return { yaml, repaired: [] };
  const again = repairYaml(given.yaml);
  const other = again === undefined ? undefined : parseYaml(again, { file });
  if (other === undefined || hasErrors(other.problems)) return { yaml, repaired: [] };
  const severity = severityOf("must", strictness) ?? "warning";
  const message = `${first.message}; it is read as if it stood in quotes`;
  return { yaml: other, repaired: [{ ...first, severity, message, hint: "put quotes around the value" }] };
}

function checkFile({ entry, bom }: SkillText, report: SkillReport): void {
  if (entry !== "SKILL.md") {
    const message = `the file is called ${entry}; other agents find only SKILL.md`;
    report.add("must", [], { code: "bad_file_name", message, hint: "rename it to SKILL.md" });
  }
  if (bom) {
    const message = "the file starts with a byte order mark; other agents do not find its front matter";
    report.add("must", [], { code: "byte_order_mark", message, hint: "save it as UTF-8 without a mark" });
  }
}

function checkKeys(value: Readonly<Record<string, unknown>>, report: SkillReport): void {
  for (const key of Object.keys(value)) {
    if (knownKeys.includes(key) || (key === hiddenKey && report.strictness === "loader")) continue;
    const near = foreignKeys.has(key) ? undefined : suggest(key, knownKeys);
    const message = foreignKeys.has(key)
      ? `the key "${key}" is no part of the format, and has no effect here`
      : `unknown key "${key}"`;
    const hint = near === undefined ? "put it under metadata, as text" : `did you mean "${near}"?`;
    report.add("must", [key], { code: "unknown_key", message, hint, part: "key" });
  }
}

interface Reading {
  readonly given: SkillText;
  readonly yaml: ParsedYaml;
  readonly report: SkillReport;
}

function readFields(
  value: Readonly<Record<string, unknown>>,
  { given, yaml, report }: Reading,
): SkillFields | undefined {
  const of = (key: string): unknown => (Object.hasOwn(value, key) ? (value[key] ?? undefined) : undefined);
  const name = readName(of("name"), given.folder, report);
  const description = readDescription(of("description"), report);
  const license = readShortText(of("license"), "license", report);
  const compatibility = readShortText(of("compatibility"), "compatibility", report);
  const metadata = readMetadata(of("metadata"), report);
  const allowedTools = readAllowedTools(of("allowed-tools"), yaml, report);
  if (name === undefined || description === undefined) return undefined;
  return {
    name,
    description,
    ...(license !== undefined && { license }),
    ...(compatibility !== undefined && { compatibility }),
    metadata,
    allowedTools,
    hidden: of(hiddenKey) === true,
  };
}
