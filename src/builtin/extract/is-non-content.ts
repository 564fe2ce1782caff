import type { PageStyles } from "./page-styles.ts";
import type { Attributes } from "./parse-in-slices.ts";

const unread: ReadonlySet<string> = new Set(
  (
    "applet area audio base button canvas command dialog embed frame frameset head iframe input link map meta noembed " +
    "noframes noscript object param script select source style svg template textarea title track video"
  ).split(" "),
);

/** Whether an element holds nothing that people read. */
export function isUnread(name: string): boolean {
  return unread.has(name);
}

/** Numbers beside lines of code, and what is meant for screen readers alone, by the names that are usual for them. */
const unseenNames =
  /(?:^|\s)(?:linenos?|linenumbers?|line-numbers-rows|gutter|hljs-ln-numbers|sr-only|visually-?hidden|screen-?reader-(?:text|only)|element-invisible)(?:\s|$)/i;

/** Whether people do not see an element: it may hold instructions that only a model reads. */
export function isHidden(name: string, attributes: Attributes, styles: PageStyles): boolean {
  if (attributes("hidden") !== undefined) return true;
  if (attributes("aria-hidden")?.trim().toLowerCase() === "true") return true;
  const classes = attributes("class");
  if (classes !== undefined && unseenNames.test(classes.slice(0, 500))) return true;
  return styles.hides(name, attributes);
}
