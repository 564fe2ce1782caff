import type { PageStyles } from "./page-styles.ts";
import type { Attributes } from "./parse-markup-in-slices.ts";

const unread: ReadonlySet<string> = new Set(
  (
    "applet area audio base button canvas command dialog embed frame frameset head iframe input link map meta noembed " +
    "noframes noscript object param script select source style svg template textarea title track video"
  ).split(" "),
);

/** True if an element contains nothing that people read. */
export function isNonContentElement(name: string): boolean {
  return unread.has(name);
}

/** Common class names of line numbers beside code, and of content for screen readers only. */
const invisibleClassNames =
  /(?:^|\s)(?:linenos?|linenumbers?|line-numbers-rows|gutter|hljs-ln-numbers|sr-only|visually-?hidden|screen-?reader-(?:text|only)|element-invisible)(?:\s|$)/i;

/** True if an element is invisible to people: it may contain instructions that only a model reads. */
export function isHidden(name: string, attributes: Attributes, styles: PageStyles): boolean {
  if (attributes("hidden") !== undefined) return true;
  if (attributes("aria-hidden")?.trim().toLowerCase() === "true") return true;
  const classes = attributes("class");
  if (classes !== undefined && invisibleClassNames.test(classes.slice(0, 500))) return true;
  return styles.hides(name, attributes);
}
