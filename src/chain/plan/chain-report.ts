import { formatPath } from "../../base/index.ts";
import { type Detail, FileReport, isMap } from "../../schema/index.ts";
import { type ParsedYaml, type Problem, type YamlPath, parseYaml, suggest } from "../../text/index.ts";
import { formHint } from "./form-hint.ts";

/** A broken file repeats itself; nobody reads more than this. */
const mostProblems = 1_000;

/** Looking for near names is the slow part of reporting: this many comparisons in all are made for one chain. */
const mostComparisons = 200_000;

/** Chains may be as large as this; generated ones are long. */
const maxBytes = 1 << 20;

/** A set of names, or a map by names. */
export interface Names {
  readonly size: number;
  keys(): Iterable<string>;
}

/** Collects what is wrong with one chain, each problem at its place in the file, or with its path in a spec. */
export class ChainReport extends FileReport {
  readonly file: string;
  readonly #places: "file" | "paths";
  /** What the chain is, for hints. */
  #value: unknown;
  #found = 0;
  #left = 0;
  #errors = 0;
  #comparisons = mostComparisons;

  private constructor(text: string, yaml: ParsedYaml, { file, places }: { file: string; places: "file" | "paths" }) {
    super(text, file, yaml);
    this.file = file;
    this.#places = places;
    for (const { severity } of yaml.problems) if (severity === "error") this.#errors++;
  }

  /** For a file; `value` is what it holds, undefined when it cannot be read at all. */
  static ofFile(text: string, file: string): { readonly report: ChainReport; readonly value: unknown } {
    const yaml = parseYaml(text, { file, maxBytes });
    return { report: new ChainReport(text, yaml, { file, places: "file" }), value: yaml.value };
  }

  /** For a chain that was written in code: a problem then names the path of what is wrong. */
  static ofSpec(name: string): ChainReport {
    const start = { line: 1, column: 1 };
    const nowhere: ParsedYaml = { value: undefined, problems: [], locate: () => start, locateInside: () => start };
    return new ChainReport("", nowhere, { file: `<chain ${name}>`, places: "paths" });
  }

  /** Tells what the chain is: hints go by what is there. */
  regard(value: unknown): void {
    this.#value = value;
  }

  /** Is one of the problems an error? */
  get failed(): boolean {
    return this.#errors > 0;
  }

  override get problems(): readonly Problem[] {
    const problems = super.problems;
    const last = problems.at(-1);
    if (this.#left === 0 || last === undefined) return problems;
    const { hint: _, ...rest } = last;
    return [...problems, { ...rest, code: "more_problems", message: `and ${this.#left} more problems` }];
  }

  override add(code: string, path: YamlPath, [message, detail = {}]: readonly [string, Detail?]): void {
    if (detail.severity !== "warning") this.#errors++;
    if (this.#found === mostProblems) {
      this.#left++;
      return;
    }
    this.#found++;
    const placed = this.#places === "file" || path.length === 0 ? message : `${message} (at ${formatPath(path)})`;
    const hint = formHint({ code, path, message, value: this.#at(path), file: this.file }) ?? detail.hint;
    super.add(code, path, [placed, { ...detail, hint }]);
  }

  #at(path: YamlPath): unknown {
    let value = this.#value;
    for (const key of path) {
      if (Array.isArray(value)) value = value[Number(key)] as unknown;
      else value = isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    }
    return value;
  }

  /** `did you mean "x"?`, or what else there is to say. */
  near(word: string, names: Names, otherwise?: string): string | undefined {
    if (this.#comparisons < names.size) return otherwise;
    this.#comparisons -= names.size;
    const near = suggest(word, names.keys());
    return near === undefined ? otherwise : `did you mean "${near}"?`;
  }
}
