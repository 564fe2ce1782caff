import { propertiesOf, valueAt, type JsonSchema, type FileReport, isRecord } from "../schema/index.ts";
import { fail, textOrJson } from "../base/index.ts";
import { type YamlPath, suggestHint } from "../text/index.ts";
import type { Secrets } from "./context.ts";

/** `${input.user.name}` or `${secret.TOKEN}`. */
export interface TemplateReference {
  readonly root: "input" | "secret";
  readonly path: readonly (string | number)[];
  /** As written in the file. */
  readonly source: string;
}

/** Text with references in it. */
export type EntryTemplate = readonly (string | TemplateReference)[];

/** Any value of a file whose texts are templates. */
export type TemplateTree =
  | { readonly template: EntryTemplate }
  | { readonly list: readonly TemplateTree[] }
  | { readonly map: readonly (readonly [key: string, value: TemplateTree])[] }
  | { readonly value: unknown };

/** Scope in which references are resolved. Secrets are resolved only here. */
export interface TemplateScope {
  readonly args: Readonly<Record<string, unknown>>;
  readonly secrets: Secrets;
}

/** Names that a file's references may use. */
export interface TemplateNames {
  /** The input schema. */
  readonly parameters: JsonSchema;
  /** Undefined if the workspace's secrets are not known. */
  readonly secretNames: ReadonlySet<string> | undefined;
}

/** Position of a reference: the text that contains it, and its offset and length there. */
interface ReferencePosition {
  readonly path: YamlPath;
  readonly inside: readonly [offset: number, length: number];
}

const step = String.raw`\.[\p{L}_][\p{L}\p{N}_-]*|\[\d{1,9}\]|\["[^"\\]{1,100}"\]`;
const reference = new RegExp(String.raw`^\s*([\p{L}_]\w*)((?:${step})*)\s*$`, "u");

/** Parses the templates of one file, checks their references and records which parameters they use. */
export class TemplateReader {
  /** Parameters that some reference names. */
  readonly used: Set<string> = new Set();
  readonly #report: FileReport;
  readonly #names: TemplateNames;

  constructor(report: FileReport, names: TemplateNames) {
    this.#report = report;
    this.#names = names;
  }

  /** Parses text with references; an unresolvable reference is reported. */
  read(text: string, path: YamlPath): EntryTemplate {
    const parts: (string | TemplateReference)[] = [];
    let literal = "";
    for (const part of splitTemplate(text)) {
      if ("literal" in part) {
        literal += part.literal;
        continue;
      }
      const found = this.#readReference(part.source, { path, inside: [part.at, part.source.length] });
      if (literal !== "") parts.push(literal);
      if (found !== undefined) parts.push(found);
      literal = "";
    }
    if (literal !== "") parts.push(literal);
    return parts;
  }

  /** Any value: texts become templates, maps and lists are traversed, the rest stays. */
  readTree(value: unknown, path: YamlPath): TemplateTree {
    if (typeof value === "string") return { template: this.read(value, path) };
    if (Array.isArray(value)) return { list: value.map((item, index) => this.readTree(item, [...path, index])) };
    if (!isRecord(value)) return { value };
    return { map: Object.entries(value).map(([key, item]) => [key, this.readTree(item, [...path, key])] as const) };
  }

  #readReference(source: string, position: ReferencePosition): TemplateReference | undefined {
    const { root, steps, parts } = parseReference(source);
    if (typeof parts[0] !== "string") {
      const message = `${source} is not a reference`;
      // Without a match the root is empty.
      const hint = this.#isParameter(root)
        ? `did you mean "\${input.${root}${steps}}"?`
        : "write ${input.name} or ${secret.NAME}, and $${ for a plain ${";
      this.#report.add("bad_reference", position.path, [message, { hint, inside: position.inside }]);
      return undefined;
    }
    const found: TemplateReference = { root: root === "secret" ? "secret" : "input", path: parts, source };
    const known = root === "secret" ? this.#checkSecret(found, position) : this.#checkInput(found, root, position);
    return known ? found : undefined;
  }

  #isParameter(name: string): boolean {
    const { properties } = this.#names.parameters;
    return isRecord(properties) && Object.hasOwn(properties, name);
  }

  #checkInput({ source, path: parts }: TemplateReference, root: string, { path, inside }: ReferencePosition): boolean {
    const properties = propertiesOf(this.#names.parameters);
    const name = String(parts[0]);
    if (root !== "input") {
      const near =
        root === "env"
          ? 'declare it under "secrets" of the workspace and write ${secret.NAME}'
          : this.#isParameter(root)
            ? `did you mean "${source.replace("${", "${input.")}"?`
            : nearest(root, ["input", "secret"]);
      this.#report.add("unknown_reference", path, [`${source}: there is no "${root}" here`, { hint: near, inside }]);
      return false;
    }
    if (!Object.hasOwn(properties, name)) {
      const hint = nearest(name, Object.keys(properties));
      this.#report.add("unknown_reference", path, [`${source}: there is no parameter "${name}"`, { hint, inside }]);
      return false;
    }
    this.used.add(name);
    const own = properties[name];
    const type = isRecord(own) ? own["type"] : undefined;
    if (parts.length === 1 || type === undefined || type === "object" || type === "array") return true;
    this.#report.add("bad_reference", path, [
      `${source}: "${name}" has the type ${templateText(type)} and no properties`,
      { inside },
    ]);
    return false;
  }

  #checkSecret({ source, path: parts }: TemplateReference, { path, inside }: ReferencePosition): boolean {
    const name = String(parts[0]);
    if (parts.length > 1) {
      this.#report.add("bad_reference", path, [`${source}: a secret has no properties`, { inside }]);
      return false;
    }
    const { secretNames } = this.#names;
    if (secretNames === undefined || secretNames.has(name)) return true;
    const hint = nearest(name, secretNames) ?? `declare it under "secrets" of the workspace`;
    this.#report.add("unknown_reference", path, [`${source}: the workspace has no secret "${name}"`, { hint, inside }]);
    return false;
  }
}

/** A hint for an unknown word: a similar known one, or all known ones. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const names = [...known].slice(0, 20).join(", ");
  return suggestHint(word, known) ?? (names === "" ? undefined : `known: ${names}`);
}

/** The parts of a text: literals, and references as written. `$${` is the escape for a literal `${`. */
function* splitTemplate(
  text: string,
): Generator<{ readonly literal: string } | { readonly source: string; readonly at: number }> {
  let at = 0;
  for (let open = text.indexOf("${"); open !== -1; open = text.indexOf("${", at)) {
    if (text[open - 1] === "$" && open > at) {
      yield { literal: `${text.slice(at, open - 1)}\${` };
      at = open + 2;
      continue;
    }
    yield { literal: text.slice(at, open) };
    const close = text.indexOf("}", open);
    at = close === -1 ? text.length : close + 1;
    yield { source: text.slice(open, at), at: open };
  }
  yield { literal: text.slice(at) };
}

/** A reference taken apart: without a match it has no parts. */
function parseReference(source: string): { root: string; steps: string; parts: (string | number)[] } {
  const [, root = "", steps = ""] = reference.exec(source.endsWith("}") ? source.slice(2, -1) : "") ?? [];
  return { root, steps, parts: stepsOf(steps) };
}

/** Names of the secrets that the texts of a value refer to. */
export function secretsInTemplates(value: unknown): string[] {
  if (typeof value === "string") {
    const sources = [...splitTemplate(value)].flatMap((part) =>
      "source" in part ? [parseReference(part.source)] : [],
    );
    return sources.flatMap(({ root, parts: [name] }) =>
      root === "secret" && name !== undefined ? [String(name)] : [],
    );
  }
  if (typeof value !== "object" || value === null) return [];
  return [...new Set(Object.values(value).flatMap(secretsInTemplates))].sort();
}

function stepsOf(steps: string): (string | number)[] {
  return Array.from(steps.matchAll(new RegExp(step, "gu")), ([text]) => {
    if (text.startsWith(".")) return text.slice(1);
    return text.startsWith('["') ? text.slice(2, -2) : Number(text.slice(1, -1));
  });
}

/** The references of a tree. */
export function referencesIn(tree: TemplateTree): readonly TemplateReference[] {
  if ("template" in tree) return tree.template.filter((part) => typeof part !== "string");
  if ("list" in tree) return tree.list.flatMap(referencesIn);
  return "map" in tree ? tree.map.flatMap(([, value]) => referencesIn(value)) : [];
}

/** A template's value: for a single reference the value itself with its type, else text. */
export function resolveTemplate(template: EntryTemplate, scope: TemplateScope): unknown {
  const [only, ...more] = template;
  if (only === undefined) return "";
  if (more.length === 0) return typeof only === "string" ? only : resolveReference(only, scope);
  return template
    .map((part) => (typeof part === "string" ? part : templateText(resolveReference(part, scope))))
    .join("");
}

/** A tree's value; keys of maps without a value are omitted, in lists they become null. */
export function resolveTemplateTree(tree: TemplateTree, scope: TemplateScope): unknown {
  if ("template" in tree) return resolveTemplate(tree.template, scope);
  if ("list" in tree) return tree.list.map((item) => resolveTemplateTree(item, scope) ?? null);
  if ("value" in tree) return tree.value;
  const entries = tree.map.map(([key, value]) => [key, resolveTemplateTree(value, scope)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The value of a reference; undefined if there is none. */
export function resolveReference({ root, path }: TemplateReference, { args, secrets }: TemplateScope): unknown {
  return root === "secret" ? openSecret(String(path[0]), secrets) : valueAt(args, path);
}

function openSecret(name: string, secrets: Secrets): string {
  const value = secrets.get(name);
  if (value !== undefined) return value;
  const todo = secrets.hint?.(name);
  const message = `the secret ${name} is not set${todo === undefined ? "" : `; ${todo}`}`;
  throw fail(message, { code: "not_available", reason: "secret_missing", retry: "never" });
}

/** A value as text: empty if missing, JSON for maps and lists. */
export function templateText(value: unknown): string {
  return value === undefined || value === null ? "" : textOrJson(value);
}
