import type { RootName } from "./scope.ts";
import type { PathNode, Segment, SyntaxNode } from "./syntax-node.ts";

/** Represents `[*]`, `[?…]`, slices and computed keys in a {@link Reference}. */
export const anyItem: unique symbol = Symbol.for("windlass.any_item");

/** One path of an expression, as far as it is known without evaluating. */
export interface Reference {
  readonly root: RootName;
  /** The steps after the root: names, indexes, and {@link anyItem}. */
  readonly path: readonly (string | number | typeof anyItem)[];
  /** As written, for messages: `steps.search.output[*].url`. */
  readonly text: string;
  /** Offset in the compiled text, in UTF-16 units from 0. */
  readonly at: number;
  readonly length: number;
  /**
   * True if the expression handles its absence: it is the left side of `??`, the first argument of `default()`, or the
   * argument of `has()`.
   */
  readonly guarded: boolean;
}

/** Every reference of an expression, in the order of the text. */
export function collectReferences(node: SyntaxNode, text: string): Reference[] {
  const found: Reference[] = [];
  collect(node, false, (path, guarded) => {
    if (path.base.kind !== "root") return;
    found.push({
      root: path.base.name,
      path: path.segments.map(constantPart),
      text: text.slice(path.at, path.end),
      at: path.at,
      length: path.end - path.at,
      guarded,
    });
  });
  return found.toSorted((a, b) => a.at - b.at);
}

function constantPart(segment: Segment): string | number | typeof anyItem {
  if (segment.kind === "name") return segment.name;
  return segment.kind === "index" ? segment.index : anyItem;
}

type OnReference = (path: PathNode, guarded: boolean) => void;

/** A guard covers an expression that passes a missing value on to it; `lower(x) ?? y` does not help if x is missing. */
function collect(node: SyntaxNode, guarded: boolean, found: OnReference): void {
  switch (node.kind) {
    case "literal":
      return;
    case "list":
      for (const item of node.items) collect(item, false, found);
      return;
    case "not":
    case "negative":
      collect(node.operand, false, found);
      return;
    case "choice":
      collect(node.test, false, found);
      collect(node.yes, guarded, found);
      collect(node.no, guarded, found);
      return;
    case "call":
      collectCall(node, guarded, found);
      return;
    case "binary":
      collectBinary(node, guarded, found);
      return;
    default:
      collectPath(node, guarded, found);
  }
}

function collectCall(node: Extract<SyntaxNode, { kind: "call" }>, guarded: boolean, found: OnReference): void {
  for (const [index, arg] of node.args.entries()) {
    const acceptsMissing = node.name === "has" || (node.name === "default" && index === 0);
    collect(arg, acceptsMissing || (node.name === "default" && guarded), found);
  }
}

function collectBinary(node: Extract<SyntaxNode, { kind: "binary" }>, guarded: boolean, found: OnReference): void {
  const { operator } = node;
  const handsOn = guarded && (operator === "??" || operator === "||" || operator === "&&");
  collect(node.left, operator === "??" || handsOn, found);
  collect(node.right, handsOn, found);
}

function collectPath(node: PathNode, guarded: boolean, found: OnReference): void {
  found(node, guarded);
  if (node.base.kind === "value") collect(node.base.node, guarded, found);
  for (const segment of node.segments) {
    if (segment.kind === "computed") collect(segment.key, guarded, found);
    else if (segment.kind === "filter") collect(segment.test, false, found);
    else if (segment.kind === "slice") {
      for (const bound of [segment.from, segment.to]) if (bound !== undefined) collect(bound, false, found);
    }
  }
}
