/** The part of the DOM that is needed to read a page. */
export interface DomNode {
  readonly nodeType: number;
  readonly data?: string;
  readonly childNodes: readonly DomNode[];
}

/** An element. */
export interface DomElement extends DomNode {
  readonly localName: string;
  readonly textContent: string;
  readonly parentElement: DomElement | null;
  getAttribute(name: string): string | null;
  removeAttribute(name: string): void;
  querySelectorAll(selector: string): Iterable<DomElement>;
  remove(): void;
}

/** A document. */
export interface DomDocument {
  readonly body: DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
}

const elementNode = 1;
const textNode = 3;
const cdataNode = 4;

/** True if a node is an element. */
export function isElement(node: DomNode): node is DomElement {
  return node.nodeType === elementNode;
}

/** Returns the text of a text node. */
export function nodeText(node: DomNode): string | undefined {
  return node.nodeType === textNode || node.nodeType === cdataNode ? node.data : undefined;
}
