import { type Detail, FileReport } from "../../schema/index.ts";
import type { ParsedYaml, Problem, YamlPath } from "../../text/index.ts";

/**
 * How much something matters: a skill without it cannot be used; the format demands it, though the skill can be used;
 * the format advises it.
 */
export type Weight = "unusable" | "must" | "should";

/** Who reads the problems: whoever writes a skill wants all of them, who loads one only what keeps it from working. */
export type Strictness = "author" | "loader";

const severities: Readonly<Record<Strictness, Readonly<Record<Weight, Problem["severity"] | undefined>>>> = {
  author: { unusable: "error", must: "error", should: "warning" },
  loader: { unusable: "error", must: "warning", should: undefined },
};

/** How a problem of this weight is told; undefined where it is not. */
export function severityOf(weight: Weight, strictness: Strictness): Problem["severity"] | undefined {
  return severities[strictness][weight];
}

/** Collects what is wrong with the front matter of a skill, each problem at its place. */
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

  /** Takes note of a problem, if its reader wants to know. */
  add(weight: Weight, path: YamlPath, { code, message, ...detail }: Finding): void {
    const severity = severityOf(weight, this.strictness);
    if (severity !== undefined) this.#report.add(code, path, [message, { ...detail, severity }]);
  }
}

interface Finding extends Omit<Detail, "severity"> {
  readonly code: string;
  readonly message: string;
}
