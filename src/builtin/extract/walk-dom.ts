import { type DomElement, type DomNode, isElement, textOf } from "./dom-node.ts";
import type { MarkupHandler } from "./parse-in-slices.ts";

/** Gives the elements below a node to a handler, in order. The depth is bounded before a document is built. */
export function walkDom(node: DomNode, handler: MarkupHandler): void {
  for (const child of node.childNodes) {
    const text = textOf(child);
    if (text !== undefined) handler.text(text);
    else if (isElement(child)) walkElement(child, handler);
  }
}

function walkElement(element: DomElement, handler: MarkupHandler): void {
  const name = element.localName.toLowerCase();
  handler.open(name, (asked) => element.getAttribute(asked) ?? undefined);
  walkDom(element, handler);
  handler.close(name);
}
