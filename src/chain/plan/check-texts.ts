import { suggest } from "../../text/index.ts";
import type { YamlPath } from "../../text/index.ts";
import type { ChainReport } from "./chain-report.ts";
import type { ChainSpec } from "./chain-spec.ts";
import type { StepNames } from "./step-names.ts";

/** Names that texts may refer to. */
export interface TextNames extends StepNames {
  /** Declared inputs; undefined if they are inferred. */
  readonly inputs: ReadonlySet<string> | undefined;
}

/**
 * Finds texts that are valid and probably a mistake: placeholders of other languages, which would be passed on
 * unchanged, and statuses that no step ever has.
 */
export function checkTexts(spec: ChainSpec, names: TextNames, report: ChainReport): void {
  const check = new TextsCheck(names, report);
  for (const [index, step] of spec.steps.entries()) check.visit(step, ["steps", index], step.for_each !== undefined);
  check.visit(spec.output, ["output"], false);
  check.visit(spec.error_handling, ["error_handling"], false);
}

const roots: ReadonlyMap<string, string> = new Map([
  ..."input steps context env secret item index run error".split(" ").map((root) => [root, root] as const),
  ["inputs", "input"],
  ["step", "steps"],
  ["secrets", "secret"],
]);

// After a dollar sign, braces are an invalid expression, which is reported where it is parsed.
const placeholders = [/(?<!\$)\{\{-?([^{}]{1,200})\}\}/dg, /<%[=-]?([^%]{1,200})%>/dg];
const dollars = /(?<![\w$\\])\$((?:input|steps|context|env|secret)(?:\.[\w-]+|\[[^\]\n]{1,100}\])+)/dg;
const items = /(?<![\w$\\])\$((?:item|index)(?:\.[\w-]+|\[[^\]\n]{1,100}\])*)(?!\w)/dg;

const statuses = ["success", "recovered", "skipped", "failed", "cancelled", "waiting", "running", "pending"];
const statusAliases: ReadonlyMap<string, string> = new Map([
  ..."completed complete done ok finished".split(" ").map((word) => [word, "success"] as const),
  ..."error errored failure".split(" ").map((word) => [word, "failed"] as const),
]);

const step = String.raw`\bsteps(?:\.[\w-]+|\[(?:"[^"]*"|'[^']*')\])\.status\b`;
const compared = new RegExp(String.raw`${step}\s*[!=]=\s*(["'])([^"']*)\1|(["'])([^"']*)\3\s*[!=]=\s*${step}`, "dg");

class TextsCheck {
  readonly #names: TextNames;
  readonly #report: ChainReport;

  constructor(names: TextNames, report: ChainReport) {
    this.#names = names;
    this.#report = report;
  }

  /**
   * The path is one list, which is changed during the visit: most texts have no problems. The depth has been checked.
   */
  visit(value: unknown, path: (string | number)[], loops: boolean): void {
    if (typeof value === "string") this.#text(value, path, loops);
    else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) this.#inside(item, index, { path, loops });
    } else if (typeof value === "object" && value !== null) {
      for (const [key, item] of Object.entries(value)) this.#inside(item, key, { path, loops });
    }
  }

  #inside(value: unknown, key: string | number, { path, loops }: { path: (string | number)[]; loops: boolean }): void {
    // A description is for people, not a parameter.
    if (key === "description" && path.length === 2) return;
    path.push(key);
    this.visit(value, path, loops);
    path.pop();
  }

  #text(text: string, path: YamlPath, loops: boolean): void {
    if (text.includes("{{") || text.includes("<%")) {
      for (const form of placeholders) for (const found of text.matchAll(form)) this.#foreign(found, path);
    } else if (/\$[a-z]/.test(text)) {
      for (const found of text.matchAll(dollars)) this.#foreign(found, path);
      if (loops) for (const found of text.matchAll(items)) this.#foreign(found, path);
    }
    if (text.includes(".status")) for (const found of text.matchAll(compared)) this.#status(found, path);
  }

  #foreign(found: RegExpExecArray, path: YamlPath): void {
    const resolved = this.#resolved((found[1] ?? "").trim());
    if (resolved === undefined) return;
    const message = `"${found[0]}" is not an expression, and is passed on unchanged`;
    const inside = [found.index, found[0].length] as const;
    this.#report.add(
      "foreign_template",
      [...path],
      [message, { inside, hint: `did you mean "\${${resolved}}"?`, severity: "warning" }],
    );
  }

  /** The expression that a placeholder probably stands for; undefined if it may be intended for the tool. */
  #resolved(inner: string): string | undefined {
    const [, name, rest = ""] = /^[$.]?([\p{L}_][\p{L}\p{N}_-]*)(.*)$/su.exec(inner) ?? [];
    if (name === undefined) return undefined;
    const root = roots.get(name);
    return root !== undefined && (rest !== "" || root === name) ? root + rest : this.#named(name, rest);
  }

  /** A placeholder with the bare name of an input, a step or an output. */
  #named(name: string, rest: string): string | undefined {
    const { inputs, byId, byAs } = this.#names;
    if (inputs?.has(name) === true) return `input.${name}${rest}`;
    if (byId.has(name)) return `steps.${name}.output${rest.replace(/^\.output\b/, "")}`;
    if (byAs.has(name)) return `context.${name}${rest}`;
    // If inputs are not declared, any name may be one.
    return inputs === undefined && rest === "" ? `input.${name}` : undefined;
  }

  #status(found: RegExpExecArray, path: YamlPath): void {
    const word = found[2] ?? found[4] ?? "";
    const [from = 0, to = 0] = found.indices?.[2] ?? found.indices?.[4] ?? [];
    if (statuses.includes(word)) return;
    const near = statusAliases.get(word.toLowerCase()) ?? suggest(word, statuses);
    const hint = near === undefined ? `it is one of ${statuses.slice(0, 5).join(", ")}` : `did you mean "${near}"?`;
    const message = `no step can have the status ${JSON.stringify(word.slice(0, 80))}`;
    this.#report.add(
      "unknown_status",
      [...path],
      [message, { inside: [from, Math.max(1, to - from)], hint, severity: "warning" }],
    );
  }
}
