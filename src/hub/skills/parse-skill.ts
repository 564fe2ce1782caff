import { definedOnly } from "../../base/index.ts";
import { isRecord, setOwn, showValue } from "../../schema/index.ts";
import { type ParsedYaml, type Problem, hasErrors, parseYaml, suggest, stripUnsafe } from "../../text/index.ts";
import { readDescription, readName, readShortText, SkillReport, type Strictness, severityOf } from "./read-fields.ts";
import type { SkillFields, AllowedTool } from "./skill.ts";

/** The front matter of a skill, and its file. */
export interface SkillText {
  /** From the first line on, for the positions of problems. */
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

/** Result of parsing a front matter. It has no fields if the skill cannot be used. */
export interface ParsedSkill {
  readonly fields: SkillFields | undefined;
  readonly problems: readonly Problem[];
}

/** Keys of the format. */
const knownKeys = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/**
 * Marks a skill that a model must not start by itself; adopted from other agents, since ignoring it would violate it.
 */
const hiddenKey = "disable-model-invocation";

/** Keys of other agents. They have no effect here. */
const foreignKeys: ReadonlySet<string> = new Set(
  (
    "user-invocable argument-hint arguments when_to_use version author tags model effort context agent hooks paths " +
    "shell mode category dependencies"
  ).split(" "),
);

/**
 * Parses the front matter of a SKILL.md. For authors every rule of the format is checked; a loader accepts all that can
 * be used, with warnings, so that skills written for other agents work.
 */
export function parseSkill(source: SkillText, strictness: Strictness): ParsedSkill {
  const { yaml, repaired } = readYaml(source, strictness);
  const report = new SkillReport({ text: source.text, file: source.file, yaml }, strictness);
  const { value } = yaml;
  if (value === undefined || hasErrors(yaml.problems)) return { fields: undefined, problems: report.problems };
  if (!isRecord(value)) {
    report.add("unusable", [], { code: "wrong_type", message: "the front matter must be a map of keys and values" });
    return { fields: undefined, problems: report.problems };
  }
  checkFile(source, report);
  checkKeys(value, report);
  const fields = readFields(value, { input: source, yaml, report });
  return { fields, problems: [...repaired, ...report.problems] };
}

/** Unquoted texts with a colon are invalid YAML, but many agents accept them; a loader reads them as intended. */
function readYaml(source: SkillText, strictness: Strictness): { yaml: ParsedYaml; repaired: readonly Problem[] } {
  const { file } = source;
  const yaml = parseYaml(source.yaml, { file });
  const first = yaml.problems.find(({ severity }) => severity === "error");
  if (first === undefined || strictness === "author") return { yaml, repaired: [] };
  const again = repairYaml(source.yaml);
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
      ? `the key "${key}" is not part of the format, and has no effect here`
      : `unknown key "${key}"`;
    const hint = near === undefined ? "put it under metadata, as text" : `did you mean "${near}"?`;
    report.add("must", [key], { code: "unknown_key", message, hint, part: "key" });
  }
}

function readFields(
  value: Readonly<Record<string, unknown>>,
  { input, yaml, report }: { readonly input: SkillText; readonly yaml: ParsedYaml; readonly report: SkillReport },
): SkillFields | undefined {
  const of = (key: string): unknown => (Object.hasOwn(value, key) ? (value[key] ?? undefined) : undefined);
  const name = readName(of("name"), input.folder, report);
  const description = readDescription(of("description"), report);
  const license = readShortText(of("license"), "license", report);
  const compatibility = readShortText(of("compatibility"), "compatibility", report);
  const metadata = readMetadata(of("metadata"), report);
  const allowedTools = readAllowedTools(of("allowed-tools"), yaml, report);
  if (name === undefined || description === undefined) return undefined;
  return {
    name,
    description,
    ...definedOnly({ license, compatibility }),
    metadata,
    allowedTools,
    hidden: of(hiddenKey) === true,
  };
}

/** The value of a top-level key, on one line without quotes. */
const plainValue = /(?<=^(?:name|description|license|compatibility):[ \t]{1,8})(?![|>"'\s]).*\S/gm;

/**
 * Returns the YAML with quotes around the one-line values of its own keys, if one of them could not be parsed without:
 * `description: Use it when: …` has a second colon. Undefined if there is nothing to quote.
 */
function repairYaml(yaml: string): string | undefined {
  const quoted = yaml.replace(plainValue, (value) => `'${value.replaceAll("'", "''")}'`);
  return quoted === yaml ? undefined : quoted;
}

/** The `metadata` of a skill: strings by key. Numbers and booleans become strings, nested values are omitted. */
function readMetadata(value: unknown, report: SkillReport): Readonly<Record<string, string>> {
  if (value === undefined) return {};
  if (!isRecord(value)) {
    const message = `"metadata" must be a map of texts, got ${showValue(value)}`;
    report.add("must", ["metadata"], { code: "wrong_type", message });
    return {};
  }
  const metadata: Record<string, string> = {};
  for (const [key, item] of Object.entries(value)) {
    const text = typeof item === "string" || typeof item === "number" || typeof item === "boolean";
    if (text) setOwn(metadata, key, stripUnsafe(String(item)));
    if (typeof item === "string") continue;
    const message = `"${key}" of metadata must be text, got ${showValue(item)}`;
    const hint = text ? "put quotes around it" : "write it as text";
    report.add("must", ["metadata", key], { code: "wrong_type", message, hint });
  }
  return metadata;
}

const key = "allowed-tools";

/** A skill that names more tools effectively requests all of them. */
const maxTools = 200;

/** Names with optional parentheses, in which spaces and commas belong to the argument. */
const entries = /([^\s,()]+)(?:\(([^()]*)\))?/g;

/**
 * The tools of an `allowed-tools`. The format is one text with spaces between them; lists and commas, which some agents
 * accept as well, are read too, with a warning.
 */
function readAllowedTools(value: unknown, yaml: ParsedYaml, report: SkillReport): readonly AllowedTool[] {
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return readText(value, [key], { yaml, report });
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string")) {
    const kind = isRecord(value) ? "a map" : Array.isArray(value) ? "a list with other things than text" : "no text";
    const message = `"${key}" must be text, got ${kind}`;
    report.add("must", [key], { code: "wrong_type", message, hint: "write: Read Grep" });
    return [];
  }
  const message = `"${key}" must be one text with spaces between the tools, got a list`;
  report.add("must", [key], { code: "wrong_type", message, hint: `write: ${value.join(" ")}` });
  return value.flatMap((item, index) => readText(item, [key, index], { yaml, report })).slice(0, maxTools);
}

function readText(
  text: string,
  path: readonly (string | number)[],
  { yaml, report }: { readonly yaml: ParsedYaml; readonly report: SkillReport },
): AllowedTool[] {
  const rest = text.replace(entries, "");
  if (/[()]/.test(rest)) {
    report.add("must", path, { code: "bad_value", message: `"${key}" has a parenthesis too many or too few` });
    return [];
  }
  if (rest.includes(",")) {
    const message = `"${key}" has commas; the tools stand side by side with spaces between them`;
    report.add("must", path, { code: "bad_value", message, hint: `write: ${text.replace(/\s*,\s*/g, " ").trim()}` });
  }
  const found = [...text.matchAll(entries)];
  if (found.length > maxTools) {
    const message = `"${key}" names ${found.length} tools; the first ${maxTools} count`;
    report.add("must", path, { code: "bad_value", message });
  }
  return found.slice(0, maxTools).map(([whole, name = "", argument], at) => ({
    text: whole,
    name,
    ...(argument !== undefined && { argument }),
    ...yaml.locateInside(path, found[at]?.index ?? 0, whole.length),
  }));
}
