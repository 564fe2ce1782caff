import { type FileReport, type JsonSchema, isRecord, propertiesOf } from "../schema/index.ts";
import { type YamlPath, suggest } from "../text/index.ts";

/** `{{item}}` and `<%= item %>`. After a dollar sign, braces are a reference, which is checked where it is parsed. */
const templates = [/(?<!\$)\{\{-?([^{}]{1,200})\}\}/dg, /<%[=-]?([^%]{1,200})%>/dg];

/** `$item` and `$input.item`. */
const dollars = /(?<![\w$\\])\$([A-Za-z_]\w*(?:\.[\w-]+)*)/dg;

/** Characters of code, in which braces and dollar signs have another meaning. */
const code = /[;()\n]|=>/;

const roots: ReadonlySet<string> = new Set(["input", "inputs", "params", "parameters", "args", "arguments"]);

/**
 * Warns about placeholders of other languages in an entry (`{{item}}`, `{item}`, `$item`): they are sent unchanged.
 * Only those that probably stand for a parameter or a secret. Returns the parameters.
 */
export function checkPlaceholders(
  entry: Readonly<Record<string, unknown>>,
  parameters: JsonSchema,
  report: FileReport,
): ReadonlySet<string> {
  const check = new PlaceholderCheck(entry, Object.keys(propertiesOf(parameters)), report);
  for (const key of ["url", "headers", "query", "body", "command", "stdin", "env", "system", "prompt"]) {
    check.visit(entry[key], ["entry", key]);
  }
  return check.found;
}

class PlaceholderCheck {
  /** Parameters that placeholders stand for. */
  readonly found: Set<string> = new Set();
  readonly #names: readonly string[];
  readonly #report: FileReport;
  /** Names that a program gets in another way: `$item` is then its own variable. */
  readonly #passed: (name: string) => boolean;

  constructor(entry: Readonly<Record<string, unknown>>, names: readonly string[], report: FileReport) {
    this.#names = names;
    this.#report = report;
    const { env, command } = entry;
    const text = JSON.stringify(entry);
    this.#passed = (name) =>
      (isRecord(env) && Object.hasOwn(env, name)) || (command !== undefined && text.includes(`\${input.${name}`));
  }

  visit(value: unknown, path: YamlPath): void {
    if (typeof value === "string") this.#text(value, path);
    else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) this.visit(item, [...path, index]);
    } else if (isRecord(value)) {
      this.#flowMap(value, path);
      for (const [key, item] of Object.entries(value)) this.visit(item, [...path, key]);
    }
  }

  /** `query: { q: {item} }`: without quotes, YAML reads a map with an empty key. */
  #flowMap(value: Readonly<Record<string, unknown>>, path: YamlPath): void {
    const [key, ...others] = Object.keys(value);
    if (key === undefined || others.length > 0 || value[key] !== null || !this.#names.includes(key)) return;
    this.found.add(key);
    const message = `{${key}} is a map with an empty key, not the parameter "${key}"`;
    this.#report.add("foreign_template", path, [message, { severity: "warning", hint: `write "\${input.${key}}"` }]);
  }

  #text(text: string, path: YamlPath): void {
    if (!/[{$]|<%/.test(text)) return;
    for (const form of templates) this.#each(text, path, [form, "likely"]);
    if (path[1] === "command" && code.test(text)) return;
    // `{item}`, without the braces of `${item}`, `{{item}}` and of code.
    const braces = /(?<![\w${])\{\s*([\p{L}_][\p{L}\p{N}_.-]*)\s*\}(?!\})/dgu;
    this.#each(text, path, [braces, path[1] === "url" ? "certain" : "possible"]);
    this.#each(text, path, [dollars, "possible"]);
  }

  #each(text: string, path: YamlPath, [form, likelihood]: readonly [form: RegExp, likelihood: Likelihood]): void {
    for (const found of text.matchAll(form)) {
      const [placeholder, inner = ""] = found;
      if (form === dollars && this.#passed(/^\w+/.exec(inner)?.[0] ?? "")) continue;
      const hint = this.#hintFor(inner, likelihood);
      if (hint === undefined) continue;
      const message = `"${placeholder}" is not a reference, and is sent unchanged`;
      const inside = [found.index, placeholder.length] as const;
      this.#report.add("foreign_template", path, [message, { inside, hint, severity: "warning" }]);
    }
  }

  /** The reference to write instead; undefined if the placeholder may be intended for the receiver. */
  #hintFor(inner: string, likelihood: Likelihood): string | undefined {
    const [, first, rest = ""] = /^\s*[$.]?([\p{L}_][\p{L}\p{N}_-]*)((?:\.[\p{L}\p{N}_-]+)*)/u.exec(inner) ?? [];
    if (first === undefined) return undefined;
    if (rest !== "" && /^secrets?$/.test(first)) return `did you mean "\${secret${rest}}"?`;
    const isRooted = rest !== "" && roots.has(first) && !this.#names.includes(first);
    const path = (isRooted ? rest.slice(1) : first + rest).split(".");
    return this.#parameterHint(path, isRooted && likelihood === "possible" ? "likely" : likelihood);
  }

  #parameterHint([name = "", ...rest]: readonly string[], likelihood: Likelihood): string | undefined {
    const near = likelihood === "possible" ? undefined : suggest(name, this.#names);
    const known = this.#names.includes(name) ? name : near;
    if (known !== undefined) {
      this.found.add(known);
      return `did you mean "\${${["input", known, ...rest].join(".")}}"?`;
    }
    const isMissing = likelihood === "certain" || (likelihood === "likely" && this.#names.length === 0);
    return isMissing ? `declare the parameter "${name}" and write "\${input.${name}}"` : undefined;
  }
}

/** A possible placeholder has to name a parameter, a likely one may be misspelled, a certain one may have any name. */
type Likelihood = "possible" | "likely" | "certain";
