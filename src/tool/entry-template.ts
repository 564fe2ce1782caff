import { fail } from "../base/index.ts";
import type { JsonSchema } from "../schema/index.ts";
import { type YamlPath, suggest } from "../text/index.ts";
import type { Secrets } from "./context.ts";
import { type FileReport, isMap } from "../schema/index.ts";

/** `${input.user.name}` or `${secret.TOKEN}`. */
export interface Reference {
  readonly root: "input" | "secret";
  readonly path: readonly (string | number)[];
  /** As it stands in the file. */
  readonly source: string;
}

/** Text with references in it. */
export type Template = readonly (string | Reference)[];

/** Any value of a file whose texts are templates. */
export type TemplateTree =
  | { readonly template: Template }
  | { readonly list: readonly TemplateTree[] }
  | { readonly map: readonly (readonly [key: string, value: TemplateTree])[] }
  | { readonly value: unknown };

/** What references are resolved against. Secrets are opened here and nowhere before. */
export interface TemplateScope {
  readonly args: Readonly<Record<string, unknown>>;
  readonly secrets: Secrets;
}

/** What a file's references may name. */
export interface TemplateNames {
  /** The input schema. */
  readonly parameters: JsonSchema;
  /** Undefined where the workspace's secrets are not known. */
  readonly secretNames: ReadonlySet<string> | undefined;
}

const step = String.raw`\.[\p{L}_][\p{L}\p{N}_-]*|\[\d{1,9}\]|\["[^"\\]{1,100}"\]`;
const reference = new RegExp(String.raw`^\s*([\p{L}_]\w*)((?:${step})*)\s*$`, "u");

/** Reads templates of one file, checks their references and remembers which parameters they use. */
export class TemplateReader {
  /** Parameters that some reference names. */
  readonly used: Set<string> = new Set();
  readonly #report: FileReport;
  readonly #names: TemplateNames;

  constructor(report: FileReport, names: TemplateNames) {
    this.#report = report;
    this.#names = names;
  }

  /** Text with its references; a reference that leads nowhere is reported. */
  read(text: string, path: YamlPath): Template {
    const parts: (string | Reference)[] = [];
    let literal = "";
    let at = 0;
    for (let open = text.indexOf("${"); open !== -1; open = text.indexOf("${", at)) {
      literal += text.slice(at, open);
      if (text[open - 1] === "$" && open > at) {
        // `$${` is how a file writes `${` itself.
        literal = `${literal.slice(0, -1)}\${`;
        at = open + 2;
        continue;
      }
      const close = text.indexOf("}", open);
      const end = close === -1 ? text.length : close + 1;
      const found = this.#readReference(text.slice(open, end), path);
      if (literal !== "") parts.push(literal);
      if (found !== undefined) parts.push(found);
      literal = "";
      at = end;
    }
    literal += text.slice(at);
    if (literal !== "") parts.push(literal);
    return parts;
  }

  /** Any value: texts become templates, maps and lists are gone through, the rest stays. */
  readTree(value: unknown, path: YamlPath): TemplateTree {
    if (typeof value === "string") return { template: this.read(value, path) };
    if (Array.isArray(value)) return { list: value.map((item, index) => this.readTree(item, [...path, index])) };
    if (!isMap(value)) return { value };
    return { map: Object.entries(value).map(([key, item]) => [key, this.readTree(item, [...path, key])] as const) };
  }

  #readReference(source: string, path: YamlPath): Reference | undefined {
    const match = reference.exec(source.endsWith("}") ? source.slice(2, -1) : "");
    const [, root = "", steps = ""] = match ?? [];
    const parts = stepsOf(steps);
    const [first] = parts;
    if (match === null || typeof first !== "string") {
      const message = `${source} is no reference`;
      const hint = "write ${input.name} or ${secret.NAME}, and $${ for a plain ${";
      this.#report.add("bad_reference", path, [message, { hint, within: source }]);
      return undefined;
    }
    const found: Reference = { root: root === "secret" ? "secret" : "input", path: parts, source };
    const known = root === "secret" ? this.#checkSecret(found, path) : this.#checkInput(found, { root, path });
    return known ? found : undefined;
  }

  #checkInput({ source, path: parts }: Reference, { root, path }: { root: string; path: YamlPath }): boolean {
    const properties = isMap(this.#names.parameters["properties"]) ? this.#names.parameters["properties"] : {};
    const name = String(parts[0]);
    if (root !== "input") {
      const near =
        root === "env"
          ? 'name it under "secrets" of the workspace and write ${secret.NAME}'
          : nearest(root, ["input", "secret"]);
      this.#report.add("unknown_reference", path, [
        `${source}: there is no "${root}" here`,
        { hint: near, within: source },
      ]);
      return false;
    }
    if (!Object.hasOwn(properties, name)) {
      const hint = nearest(name, Object.keys(properties));
      this.#report.add("unknown_reference", path, [
        `${source}: there is no parameter "${name}"`,
        { hint, within: source },
      ]);
      return false;
    }
    this.used.add(name);
    const own = properties[name];
    const type = isMap(own) ? own["type"] : undefined;
    if (parts.length === 1 || type === undefined || type === "object" || type === "array") return true;
    this.#report.add("bad_reference", path, [
      `${source}: "${name}" is of the type ${textOf(type)} and has no parts`,
      { within: source },
    ]);
    return false;
  }

  #checkSecret({ source, path: parts }: Reference, path: YamlPath): boolean {
    const name = String(parts[0]);
    if (parts.length > 1) {
      this.#report.add("bad_reference", path, [`${source}: a secret has no parts`, { within: source }]);
      return false;
    }
    const { secretNames } = this.#names;
    if (secretNames === undefined || secretNames.has(name)) return true;
    const hint = nearest(name, secretNames) ?? `name it under "secrets" of the workspace`;
    this.#report.add("unknown_reference", path, [
      `${source}: the workspace has no secret "${name}"`,
      { hint, within: source },
    ]);
    return false;
  }
}

function nearest(word: string, known: Iterable<string>): string | undefined {
  const near = suggest(word, known);
  if (near !== undefined) return `did you mean "${near}"?`;
  const names = [...known].slice(0, 20).join(", ");
  return names === "" ? undefined : `known: ${names}`;
}

function stepsOf(steps: string): (string | number)[] {
  return Array.from(steps.matchAll(new RegExp(step, "gu")), ([text]) => {
    if (text.startsWith(".")) return text.slice(1);
    return text.startsWith('["') ? text.slice(2, -2) : Number(text.slice(1, -1));
  });
}

/** The references of a tree. */
export function referencesIn(tree: TemplateTree): readonly Reference[] {
  if ("template" in tree) return tree.template.filter((part) => typeof part !== "string");
  if ("list" in tree) return tree.list.flatMap(referencesIn);
  return "map" in tree ? tree.map.flatMap(([, value]) => referencesIn(value)) : [];
}

/** A template's value: of a single reference the value itself, type and all, else text. */
export function resolveTemplate(template: Template, scope: TemplateScope): unknown {
  const [only, ...more] = template;
  if (only === undefined) return "";
  if (more.length === 0) return typeof only === "string" ? only : resolveReference(only, scope);
  return template.map((part) => (typeof part === "string" ? part : textOf(resolveReference(part, scope)))).join("");
}

/** A tree's value; keys of maps whose value is missing are left out, in lists they become null. */
export function resolveTree(tree: TemplateTree, scope: TemplateScope): unknown {
  if ("template" in tree) return resolveTemplate(tree.template, scope);
  if ("list" in tree) return tree.list.map((item) => resolveTree(item, scope) ?? null);
  if ("value" in tree) return tree.value;
  const entries = tree.map.map(([key, value]) => [key, resolveTree(value, scope)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The value a reference leads to, through own properties only; undefined where it leads nowhere. */
export function resolveReference({ root, path }: Reference, { args, secrets }: TemplateScope): unknown {
  if (root === "secret") return openSecret(String(path[0]), secrets);
  let value: unknown = args;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}

function openSecret(name: string, secrets: Secrets): string {
  const value = secrets.get(name);
  if (value !== undefined) return value;
  const todo = secrets.todo?.(name);
  const message = `the secret ${name} is not set${todo === undefined ? "" : `; ${todo}`}`;
  throw fail(message, { code: "not_available", reason: "secret_missing", retry: "never" });
}

/** A value as text: nothing for what is missing, JSON for maps and lists. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
