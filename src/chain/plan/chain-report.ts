import { formatPath } from "../../base/index.ts";
import { type ProblemDetail, FileReport, valueAt } from "../../schema/index.ts";
import {
  type ParsedYaml,
  type Problem,
  type YamlPath,
  parseYaml,
  suggestHint,
  suggestedWord,
} from "../../text/index.ts";
import { formHint } from "./suggest-form.ts";

/** Maximum number of problems: a broken file repeats the same ones. */
const maxProblems = 1_000;

/** Searching for similar names is the slow part of reporting: maximum number of comparisons for one chain. */
const maxComparisons = 200_000;

/** Maximum size of a chain; generated ones are long. */
const maxBytes = 1 << 20;

/** A set of names, or a map by names. */
export interface Names {
  readonly size: number;
  keys(): Iterable<string>;
}

/** Collects the problems of one chain, each with its position in the file, or with its path in a spec. */
export class ChainReport extends FileReport {
  readonly file: string;
  readonly #positions: "file" | "paths";
  /** The chain as data, for hints. */
  #value: unknown;
  #found = 0;
  #remaining = 0;
  #errors = 0;
  #comparisons = maxComparisons;
  /** Paths of missing keys that unknown keys resemble. */
  readonly #misspelled = new Set<string>();

  private constructor(
    text: string,
    yaml: ParsedYaml,
    { file, positions }: { file: string; positions: "file" | "paths" },
  ) {
    super(text, file, yaml);
    this.file = file;
    this.#positions = positions;
    for (const { severity } of yaml.problems) if (severity === "error") this.#errors++;
  }

  /** For a file; `value` is its content, undefined if it cannot be parsed at all. */
  static ofFile(text: string, file: string): { readonly report: ChainReport; readonly value: unknown } {
    const yaml = parseYaml(text, { file, maxBytes });
    return { report: new ChainReport(text, yaml, { file, positions: "file" }), value: yaml.value };
  }

  /** For a chain that was written in code: a problem then names the path of the value. */
  static ofSpec(name: string): ChainReport {
    const start = { line: 1, column: 1 };
    const nowhere: ParsedYaml = { value: undefined, problems: [], locate: () => start, locateInside: () => start };
    return new ChainReport("", nowhere, { file: `<chain ${name}>`, positions: "paths" });
  }

  /** Sets the chain as data: hints are derived from it. */
  regard(value: unknown): void {
    this.#value = value;
  }

  /** True if one of the problems is an error. */
  get failed(): boolean {
    return this.#errors > 0;
  }

  override get problems(): readonly Problem[] {
    const problems = super.problems;
    const last = problems.at(-1);
    if (this.#remaining === 0 || last === undefined) return problems;
    const { hint: _, ...rest } = last;
    return [...problems, { ...rest, code: "more_problems", message: `and ${this.#remaining} more problems` }];
  }

  override add(code: string, path: YamlPath, [message, detail = {}]: readonly [string, ProblemDetail?]): void {
    if (detail.severity !== "warning") this.#errors++;
    if (this.#found === maxProblems) {
      this.#remaining++;
      return;
    }
    this.#found++;
    const positioned =
      this.#positions === "file" || path.length === 0 ? message : `${message} (at ${formatPath(path)})`;
    const hint = formHint({ code, path, message, value: valueAt(this.#value, path), file: this.file }) ?? detail.hint;
    const near = suggestedWord(hint ?? "");
    if (code === "unknown_key" && near !== undefined) this.#misspelled.add(formatPath([...path.slice(0, -1), near]));
    super.add(code, path, [positioned, { ...detail, hint }]);
  }

  /** True if the key at the end of this path is missing because it is misspelled, which has been reported. */
  isMisspelled(path: YamlPath): boolean {
    return this.#misspelled.has(formatPath(path));
  }

  /** `did you mean "x"?`, or the alternative hint. */
  suggest(word: string, names: Names, otherwise?: string): string | undefined {
    if (this.#comparisons < names.size) return otherwise;
    this.#comparisons -= names.size;
    return suggestHint(word, names.keys()) ?? otherwise;
  }
}
