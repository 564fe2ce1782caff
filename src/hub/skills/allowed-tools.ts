import { isYamlMap } from "../../schema/index.ts";
import type { ParsedYaml } from "../../text/index.ts";
import type { AllowedTool } from "./skill.ts";
import type { SkillReport } from "./skill-report.ts";

const key = "allowed-tools";

/** A skill that names more tools effectively requests all of them. */
const maxTools = 200;

/** Names with optional parentheses, in which spaces and commas belong to the argument. */
const entries = /([^\s,()]+)(?:\(([^()]*)\))?/g;

/**
 * The tools of an `allowed-tools`. The format is one text with spaces between them; lists and commas, which some agents
 * accept as well, are read too, with a warning.
 */
export function readAllowedTools(value: unknown, yaml: ParsedYaml, report: SkillReport): readonly AllowedTool[] {
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return readText(value, [key], { yaml, report });
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string")) {
    const kind = isYamlMap(value) ? "a map" : Array.isArray(value) ? "a list with other things than text" : "no text";
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
