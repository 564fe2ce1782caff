import { type ProblemDetail, FileReport } from "../../schema/index.ts";
import type { ParsedYaml, Problem, YamlPath } from "../../text/index.ts";

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
