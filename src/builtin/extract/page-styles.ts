import { isVisuallyHidden, visibilityProperties } from "./is-visually-hidden.ts";
import type { Attributes } from "./parse-markup-in-slices.ts";

/** A rule for elements with this name, this id and all of these classes. */
interface Rule {
  readonly name: string | undefined;
  readonly id: string | undefined;
  readonly classes: readonly string[];
  /** Decides between two rules: the more specific one wins, else the later one. */
  readonly weight: number;
  readonly style: Declarations;
}

const limits = { chars: 500_000, rules: 4000, rulesOfOne: 50, classes: 50, attribute: 2000, nesting: 8 } as const;

/** Elements that are never considered hidden: a script will show them. */
const roots: ReadonlySet<string> = new Set(["html", "body"]);

/**
 * Determines what a page's own `<style>` elements hide. Supports rules for names, classes and ids; rules that depend on
 * the screen, on other elements or on interaction can only make something visible here.
 */
export class PageStyles {
  /** By class, id or name that an element must have at least. */
  readonly #rules = new Map<string, Rule[]>();
  #seen = 0;
  #chars = 0;

  /** Adds the content of a `<style>` element. */
  add(css: string): void {
    const room = limits.chars - this.#chars;
    this.#chars += css.length;
    if (room > 0) this.#addBlock(bareCss(css.slice(0, room)), { conditional: false, nesting: 0 });
  }

  /** True if this element is invisible, by its own style or by the page's. */
  hides(name: string, attributes: Attributes): boolean {
    if (roots.has(name)) return false;
    const own = attributes("style");
    const style = own === undefined ? noStyle : readDeclarations(bareCss(own.slice(0, limits.attribute)));
    const rules = this.#rulesFor(name, attributes);
    if (style.size === 0 && rules.length === 0) return false;
    const all = new Map<string, Declared>();
    for (const each of [...rules.map((rule) => rule.style), style]) {
      for (const [property, declared] of each) {
        if (declared.important || all.get(property)?.important !== true) all.set(property, declared);
      }
    }
    return isVisuallyHidden((property) => all.get(property)?.value ?? "");
  }

  #rulesFor(name: string, attributes: Attributes): readonly Rule[] {
    if (this.#rules.size === 0) return [];
    const id = attributes("id")?.toLowerCase();
    const classes = classNames(attributes("class"));
    const keys = [name, ...(id === undefined ? [] : [`#${id}`]), ...classes.map((word) => `.${word}`)];
    const found = keys.flatMap((key) => this.#rules.get(key) ?? []);
    return found
      .filter((rule) => rule.name === undefined || rule.name === name)
      .filter((rule) => rule.id === undefined || rule.id === id)
      .filter((rule) => rule.classes.every((word) => classes.includes(word)))
      .toSorted((a, b) => a.weight - b.weight);
  }

  #addBlock(css: string, where: { readonly conditional: boolean; readonly nesting: number }): void {
    for (const { prelude, body } of blocksOf(css)) {
      if (++this.#seen >= limits.rules) return;
      if (!prelude.startsWith("@")) this.#addRule(prelude, body, where.conditional);
      else if (where.nesting < limits.nesting && /^@(?:media(?! print)|supports|layer|container)\b/.test(prelude)) {
        const always = /^@(?:media (?:screen|all)|supports\b.*|layer\b.*)$/.test(prelude);
        this.#addBlock(body, { conditional: where.conditional || !always, nesting: where.nesting + 1 });
      }
    }
  }

  #addRule(prelude: string, body: string, conditional: boolean): void {
    const reply = [...readDeclarations(body.split("{", 1)[0] ?? "")].filter(([property]) =>
      visibilityProperties.has(property),
    );
    if (reply.length === 0) return;
    for (const selector of prelude.split(",").map((part) => part.trim())) {
      const last = selector.split(/[\s>+~]+/).at(-1) ?? "";
      const depends = conditional || last !== selector;
      const style = depends ? reply.filter(([property, { value }]) => !hidesAlone(property, value)) : reply;
      if (style.length > 0) this.#index(last, new Map(style));
    }
  }

  #index(text: string, style: Declarations): void {
    const selector = readSelector(text);
    if (selector === undefined) return;
    const weight = selector.exactness * limits.rules + this.#seen;
    // If there are too many, the last ones are retained, since they take precedence.
    const known = this.#rules.get(selector.key)?.slice(1 - limits.rulesOfOne) ?? [];
    this.#rules.set(selector.key, [...known, { ...selector, weight, style }]);
  }
}

interface Selector extends Pick<Rule, "name" | "id" | "classes"> {
  /** A class, id or name that an element must have. */
  readonly key: string;
  /** Specificity: an id counts more than any number of classes, a class more than a name. */
  readonly exactness: number;
}

/** Parses a selector of names, classes and ids only; undefined for any other selector. */
function readSelector(text: string): Selector | undefined {
  const found = /^(\*|[a-z][\w-]*)?((?:[#.][\w\-\u0080-\uffff]+)*)$/.exec(text);
  const parts = found?.[2]?.match(/[#.][^#.]+/g) ?? [];
  const ids = parts.filter((part) => part.startsWith("#"));
  const classes = parts.filter((part) => part.startsWith("."));
  const name = found?.[1] === "*" ? undefined : found?.[1];
  const key = classes[0] ?? ids[0] ?? name;
  if (key === undefined) return undefined;
  const exactness = ids.length * 10_000 + classes.length * 100 + (name === undefined ? 0 : 1);
  return { key, name, id: ids[0]?.slice(1), classes: classes.map((word) => word.slice(1)), exactness };
}

const noStyle: Declarations = new Map();

function classNames(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  const words = text.slice(0, limits.attribute).toLowerCase().split(/\s+/, limits.classes);
  return words.filter((word) => word !== "");
}

function hidesAlone(property: string, value: string): boolean {
  return isVisuallyHidden((request) => (request === property ? value : ""));
}

/** Iterates over the rules of a block, each with its prelude. */
function* blocksOf(css: string): Generator<{ readonly prelude: string; readonly body: string }> {
  let at = 0;
  for (let open = css.indexOf("{"); open !== -1; open = css.indexOf("{", at)) {
    const close = blockEnd(css, open);
    // A statement that ends with a semicolon, such as an import, is not part of the prelude.
    const prelude = plainCss(css.slice(at, open).split(";").at(-1) ?? "");
    yield { prelude, body: css.slice(open + 1, close) };
    at = close + 1;
  }
}

const braces = /[{}]/g;

function blockEnd(css: string, open: number): number {
  let depth = 0;
  braces.lastIndex = open;
  for (let found = braces.exec(css); found !== null; found = braces.exec(css)) {
    depth += found[0] === "{" ? 1 : -1;
    if (depth === 0) return found.index;
  }
  return css.length;
}

/** Declarations of a style, by property in lower case. */
type Declarations = ReadonlyMap<string, Declared>;

/** One value, in lower case, without comments and escapes. */
interface Declared {
  readonly value: string;
  readonly important: boolean;
}

/** Longer values, such as images, do not affect visibility; and searching a long value may take long. */
const maxValueLength = 300;

const commentOrText = /\/\*[^]*?(?:\*\/|$)|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?/g;

/** Removes comments and empties strings: the remaining characters are syntax. */
function bareCss(css: string): string {
  return css.replaceAll(commentOrText, (part) => (part.startsWith("/*") ? " " : '""'));
}

/** Resolves escapes in a name or a value: `d\69splay` is `display`. */
function plainCss(text: string): string {
  return text
    .replaceAll(/\\(?:([0-9a-f]{1,6})\s?|([^]))/gi, (_, hex: string | undefined, character: string | undefined) =>
      hex === undefined ? (character ?? "") : characterOf(Number.parseInt(hex, 16)),
    )
    .replaceAll(/\s+/g, " ")
    .trim()
    .toLowerCase();
}

function characterOf(code: number): string {
  return code === 0 || code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code);
}

/** Reads the declarations between braces, or of a `style` attribute. The last value of a property wins. */
function readDeclarations(bare: string): Declarations {
  const found = new Map<string, Declared>();
  for (const part of bare.split(";")) {
    const colon = part.indexOf(":");
    if (colon === -1) continue;
    const property = plainCss(part.slice(0, colon));
    const [value = "", ...marks] = plainCss(part.slice(colon + 1)).split("!");
    if (value.length > maxValueLength) continue;
    const important = marks.some((mark) => mark.trim() === "important");
    if (important || found.get(property)?.important !== true) found.set(property, { value: value.trim(), important });
  }
  return found;
}
