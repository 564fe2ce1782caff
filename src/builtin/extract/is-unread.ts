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

/** Styles that take text out of sight. */
const invisible =
  /(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:opacity|font-size|max-height|max-width)\s*:\s*0+(?:\.0+)?(?:px|em|rem|%|pt)?\s*(?:;|!|$)|(?:text-indent|left|top|margin-left)\s*:\s*-\d{4,})/i;

/** Numbers beside lines of code. */
const lineNumbers = /(?:^|\s)(?:linenos?|linenumbers?|line-numbers-rows|gutter|hljs-ln-numbers)(?:\s|$)/i;

/** Whether people do not see an element: it may hold instructions that only a model reads. */
export function isHidden(attributes: Attributes): boolean {
  if (attributes("hidden") !== undefined) return true;
  if (attributes("aria-hidden")?.trim().toLowerCase() === "true") return true;
  const style = attributes("style");
  if (style !== undefined && invisible.test(style.slice(0, 2000))) return true;
  const classes = attributes("class");
  return classes !== undefined && lineNumbers.test(classes.slice(0, 500));
}
