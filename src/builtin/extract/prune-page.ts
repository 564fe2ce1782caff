import { type DomDocument, type DomElement, type DomNode, isElement } from "./dom-node.ts";
import { isHidden } from "./is-non-content.ts";
import type { PageStyles } from "./page-styles.ts";

/** Names of boilerplate. Only whole names count: "custom-headers" is a part of a text. */
const boilerplateNames: ReadonlySet<string> = new Set(
  (
    "ad ads advert advertisement banner breadcrumb breadcrumbs comment-list comments cookie cookie-banner cookies " +
    "disqus_thread footer menu nav navbar navfooter navheader navigation newsletter pagination pager related " +
    "related-articles related-posts respond share share-buttons sharing sidebar site-footer site-header skip-link " +
    "skiplink social social-share sphinxsidebar toc-backref"
  ).split(" "),
);

/** Elements whose class or id may identify them as boilerplate. */
const containers: ReadonlySet<string> = new Set([
  "div",
  "ul",
  "ol",
  "p",
  "span",
  "form",
  "aside",
  "footer",
  "a",
  "table",
]);

/** Removes everything that is certainly not content: navigation, hidden elements, and elements with such names. */
export function prunePage(document: DomDocument, styles: PageStyles): void {
  if (document.body === null) return;
  // All are collected first: removing one would disturb the traversal.
  const found = [...boilerplateIn(document.body, styles)];
  for (const element of found) element.remove();
  forgetHeadingNames(document);
}

function* boilerplateIn(node: DomNode, styles: PageStyles): Generator<DomElement> {
  for (const child of node.childNodes) {
    if (!isElement(child)) continue;
    if (isBoilerplate(child, styles)) yield child;
    else yield* boilerplateIn(child, styles);
  }
}

function isBoilerplate(element: DomElement, styles: PageStyles): boolean {
  const name = element.localName.toLowerCase();
  if (name === "nav" || element.getAttribute("role")?.toLowerCase() === "navigation") return true;
  if (isHidden(name, (request) => element.getAttribute(request) ?? undefined, styles)) return true;
  if (!containers.has(name)) return false;
  const classes = (element.getAttribute("class") ?? "").toLowerCase().split(/\s+/);
  if (classes.includes("section")) return false;
  return (
    classes.some((word) => boilerplateNames.has(word)) ||
    boilerplateNames.has((element.getAttribute("id") ?? "").toLowerCase())
  );
}

/**
 * Ignores names of sections that come from their headings: otherwise "Response headers" would be taken for the header
 * of a page, and "Comments" for those of its readers.
 */
function forgetHeadingNames(document: DomDocument): void {
  for (const heading of document.querySelectorAll("h1,h2,h3,h4,h5,h6")) {
    const title = plainName(heading.textContent);
    for (const element of [heading, heading.parentElement]) {
      const id = plainName(element?.getAttribute("id") ?? "");
      if (id !== "" && title.startsWith(id)) element?.removeAttribute("id");
    }
  }
}

function plainName(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
}
