import { type Declarations, type Declared, bareCss, plainCss, readDeclarations } from "./css-declarations.ts";
import { isOutOfSight, sightProperties } from "./out-of-sight.ts";
import type { Attributes } from "./parse-in-slices.ts";

/** One rule for elements with this name, this id and all of these classes. */
interface Rule {
  readonly name: string | undefined;
  readonly id: string | undefined;
  readonly classes: readonly string[];
  /** Which of two rules counts: the more exact one, else the later one. */
  readonly weight: number;
  readonly style: Declarations;
}

const limits = { chars: 500_000, rules: 4000, rulesOfOne: 50, classes: 50, attribute: 2000, nesting: 8 } as const;

/** Whatever hides them, their script shows them again. */
const roots: ReadonlySet<string> = new Set(["html", "body"]);

/**
 * What a page's own `<style>` elements hide. Rules for names, classes and ids are understood; those that depend on the
 * screen, on other elements or on what the reader does can only make something visible here.
 */
export class PageStyles {
  /** By class, id or name: by what an element must have at least. */
  readonly #rules = new Map<string, Rule[]>();
  #seen = 0;
  #chars = 0;

  /** Takes the content of a `<style>` element. */
  add(css: string): void {
    const room = limits.chars - this.#chars;
    this.#chars += css.length;
    if (room > 0) this.#addBlock(bareCss(css.slice(0, room)), { conditional: false, nesting: 0 });
  }

  /** Whether people do not see this element: by its own style, or by the page's. */
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
    return isOutOfSight((property) => all.get(property)?.value ?? "");
  }

  #rulesFor(name: string, attributes: Attributes): readonly Rule[] {
    if (this.#rules.size === 0) return [];
    const id = attributes("id")?.toLowerCase();
    const classes = wordsOf(attributes("class"));
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
    const said = [...readDeclarations(body.split("{", 1)[0] ?? "")].filter(([property]) =>
      sightProperties.has(property),
    );
    if (said.length === 0) return;
    for (const selector of prelude.split(",").map((part) => part.trim())) {
      const last = selector.split(/[\s>+~]+/).at(-1) ?? "";
      const depends = conditional || last !== selector;
      const style = depends ? said.filter(([property, { value }]) => !hidesAlone(property, value)) : said;
      if (style.length > 0) this.#index(last, new Map(style));
    }
  }

  #index(text: string, style: Declarations): void {
    const selector = readSelector(text);
    if (selector === undefined) return;
    const weight = selector.exactness * limits.rules + this.#seen;
    // Of too many the last ones are kept, since those count.
    const known = this.#rules.get(selector.key)?.slice(1 - limits.rulesOfOne) ?? [];
    this.#rules.set(selector.key, [...known, { ...selector, weight, style }]);
  }
}

interface Selector extends Pick<Rule, "name" | "id" | "classes"> {
  /** What an element must have at least. */
  readonly key: string;
  /** An id counts more than any number of classes, a class more than a name. */
  readonly exactness: number;
}

/** A selector of names, classes and ids alone; undefined where there is more to it. */
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

function wordsOf(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  const words = text.slice(0, limits.attribute).toLowerCase().split(/\s+/, limits.classes);
  return words.filter((word) => word !== "");
}

function hidesAlone(property: string, value: string): boolean {
  return isOutOfSight((asked) => (asked === property ? value : ""));
}

/** The rules of a block, each with what stands before its braces. */
function* blocksOf(css: string): Generator<{ readonly prelude: string; readonly body: string }> {
  let at = 0;
  for (let open = css.indexOf("{"); open !== -1; open = css.indexOf("{", at)) {
    const close = blockEnd(css, open);
    // What ends with a semicolon before it, such as an import, is a statement of its own.
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
