/** As much of the DOM as reading a page needs. */
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

/** Whether a node is an element. */
export function isElement(node: DomNode): node is DomElement {
  return node.nodeType === elementNode;
}

/** The text of a node that is text. */
export function textOf(node: DomNode): string | undefined {
  return node.nodeType === textNode || node.nodeType === cdataNode ? node.data : undefined;
}
