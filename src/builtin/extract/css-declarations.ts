/** What a style says, by property in lower case. */
export type Declarations = ReadonlyMap<string, Declared>;

/** One value, in lower case, without comments and escapes. */
export interface Declared {
  readonly value: string;
  readonly important: boolean;
}

/** Longer values, such as pictures, say nothing about sight; and what is looked for in a value may take long in a long one. */
const longestValue = 300;

const commentOrText = /\/\*[^]*?(?:\*\/|$)|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?/g;

/** CSS without its comments, and with its texts emptied: what is left has signs only where they mean something. */
export function bareCss(css: string): string {
  return css.replaceAll(commentOrText, (part) => (part.startsWith("/*") ? " " : '""'));
}

/** A name or a value as it is meant: `d\69splay` is `display`. */
export function plainCss(text: string): string {
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

/** Reads what stands between braces, or in a `style` attribute. Of two values for one property the later counts. */
export function readDeclarations(bare: string): Declarations {
  const found = new Map<string, Declared>();
  for (const part of bare.split(";")) {
    const colon = part.indexOf(":");
    if (colon === -1) continue;
    const property = plainCss(part.slice(0, colon));
    const [value = "", ...marks] = plainCss(part.slice(colon + 1)).split("!");
    if (value.length > longestValue) continue;
    const important = marks.some((mark) => mark.trim() === "important");
    if (important || found.get(property)?.important !== true) found.set(property, { value: value.trim(), important });
  }
  return found;
}
