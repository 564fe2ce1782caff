import { showUnsafe, stripUnsafe } from "../../../text/index.ts";

/** Attributes of an element; `undefined` is omitted. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** One XML element; attributes are escaped, the content is XML already. */
export function element(name: string, attributes: Attributes, content?: string): string {
  let text = `<${name}`;
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined) text += ` ${key}="${typeof value === "number" ? short(value) : escapeXml(value)}"`;
  return content === undefined ? `${text}/>` : `${text}>${content}</${name}>`;
}

/** Text of unknown origin as XML. Characters that XML forbids are dropped. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "")
    .replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** One line of a name or an expression, with control characters made visible. */
export function escapeOneLine(text: string): string {
  return showUnsafe(shorten(text).trim().replace(/\s+/g, " "));
}

/** Prose as one line, without invisible characters. */
export function prose(text: string): string {
  return stripUnsafe(shorten(text)).trim().replace(/\s+/g, " ");
}

/** A number with at most one decimal. */
export function short(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Pictures show no more than this of one text, so no more is processed. */
function shorten(text: string): string {
  return text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
}

/** A figure of the picture: its size around its axis, and its drawing. */
export interface Figure {
  readonly left: number;
  readonly right: number;
  readonly height: number;
  /** Distance below its upper edge at which lines leave. */
  readonly foot: number;
  /** XML of the figure with its axis at `x` and its upper edge at `y`. */
  draw(x: number, y: number): string;
}
