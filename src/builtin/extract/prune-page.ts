import { type DomDocument, type DomElement, type DomNode, isElement } from "./dom-node.ts";
import { isHidden } from "./is-unread.ts";
import type { PageStyles } from "./page-styles.ts";

/** Names of what surrounds the content. Only whole names: "custom-headers" is a part of a text. */
const surroundings: ReadonlySet<string> = new Set(
  (
    "ad ads advert advertisement banner breadcrumb breadcrumbs comment-list comments cookie cookie-banner cookies " +
    "disqus_thread footer menu nav navbar navfooter navheader navigation newsletter pagination pager related " +
    "related-articles related-posts respond share share-buttons sharing sidebar site-footer site-header skip-link " +
    "skiplink social social-share sphinxsidebar toc-backref"
  ).split(" "),
);

/** Elements whose name in a class or an id may say that they surround the content. */
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

/** Takes away what surely is not the content: navigation, what is hidden, and what is named like either. */
export function prunePage(document: DomDocument, styles: PageStyles): void {
  if (document.body === null) return;
  // All are found first: taking one away would lead the search astray.
  const found = [...surrounding(document.body, styles)];
  for (const element of found) element.remove();
  forgetHeadingNames(document);
}

function* surrounding(node: DomNode, styles: PageStyles): Generator<DomElement> {
  for (const child of node.childNodes) {
    if (!isElement(child)) continue;
    if (isSurrounding(child, styles)) yield child;
    else yield* surrounding(child, styles);
  }
}

function isSurrounding(element: DomElement, styles: PageStyles): boolean {
  const name = element.localName.toLowerCase();
  if (name === "nav" || element.getAttribute("role")?.toLowerCase() === "navigation") return true;
  if (isHidden(name, (asked) => element.getAttribute(asked) ?? undefined, styles)) return true;
  if (!containers.has(name)) return false;
  const classes = (element.getAttribute("class") ?? "").toLowerCase().split(/\s+/);
  if (classes.includes("section")) return false;
  return (
    classes.some((word) => surroundings.has(word)) || surroundings.has((element.getAttribute("id") ?? "").toLowerCase())
  );
}

/**
 * A section that is named after its heading says nothing about its role: without this, "Response headers" is taken for
 * the header of a page, and "Comments" for what its readers wrote.
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
