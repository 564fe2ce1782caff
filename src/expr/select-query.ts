import type { JSONPathQuery, jsonpath } from "json-p3";
import { loadPackage } from "../base/index.ts";
import { ExpressionError, type Span } from "./expression-error.ts";
import { Frame, spend } from "./frame.ts";
import { limits } from "./limits.ts";
import { type NodeFinder, childrenOf } from "./plain-select.ts";
import { type Query, type SelectRun, type Test, compileTest } from "./select-filter.ts";
import { isObject } from "./type-name.ts";

/** Reads a JSONPath. The package reads and checks it; walking the document is done here, where work is counted. */
export function parseSelect(path: string): JSONPathQuery {
  const { JSONPathEnvironment, JSONPathError } = loadPackage("json-p3");
  try {
    return new JSONPathEnvironment({ strict: true }).compile(path);
  } catch (error) {
    if (error instanceof JSONPathError) throw syntaxError(error, path);
    if (error instanceof RangeError) {
      const message = "the JSONPath nests too deep";
      throw new ExpressionError("select_refused", message, { at: 0, end: path.length });
    }
    throw error;
  }
}

function syntaxError(error: Error & { readonly token: { readonly index: number } }, path: string): ExpressionError {
  // The package adds a piece of the path and a position to its messages; whoever reports this shows both better.
  const why = error.message.replace(/ \('.*':-?\d+\)$/su, "").replaceAll(/TOKEN_/g, "");
  const at = Math.min(Math.max(0, error.token.index), path.length);
  const hint = path.startsWith("$") ? undefined : 'a JSONPath starts with "$", such as $.results[*].url';
  return new ExpressionError("select_syntax", `the JSONPath cannot be read: ${why}`, { at, end: at + 1, hint });
}

/** Finds the nodes that a parsed JSONPath leads to. */
export function compileQuery(query: JSONPathQuery, path: string): NodeFinder {
  const span: Span = { at: 0, end: path.length };
  const find = compileSegments(query, span);
  return {
    singular: query.singularQuery(),
    nodes: (document) => find(document, { document, span, frame: new Frame({}, undefined, limits.selectTicks) }),
  };
}

/** Gives the children of a node that are selected, to `found`. */
type Selector = (node: unknown, run: SelectRun, found: unknown[]) => void;

function compileSegments(query: JSONPathQuery, span: Span): Query {
  const segments = query.segments.map((segment) => {
    const selectors = segment.selectors.map((selector) => compileSelector(selector, span));
    // The two kinds of segments are told apart by how they are written; their classes are not exported.
    return segment.toString().startsWith("..") ? descend(selectors) : selectAll(selectors);
  });
  return (from, run) => {
    let nodes: unknown[] = [from];
    for (const segment of segments) {
      const found: unknown[] = [];
      for (const node of nodes) segment(node, run, found);
      nodes = found;
    }
    return nodes;
  };
}

function selectAll(selectors: readonly Selector[]): Selector {
  return (node, run, found) => {
    spend(run.frame, 1, run.span);
    for (const selector of selectors) selector(node, run, found);
  };
}

/** The node itself and everything below it, parents before their children; without recursion, so any depth is fine. */
function descend(selectors: readonly Selector[]): Selector {
  const select = selectAll(selectors);
  return (top, run, found) => {
    const open: unknown[] = [top];
    while (open.length > 0) {
      const node = open.pop();
      select(node, run, found);
      const children = childrenOf(node);
      spend(run.frame, children.length, run.span);
      for (let index = children.length - 1; index >= 0; index--) {
        const child = children[index];
        // Nothing is ever found in what has no children.
        if (typeof child === "object" && child !== null) open.push(child);
      }
    }
  };
}

function compileSelector(selector: jsonpath.JSONPathSelector, span: Span): Selector {
  const { NameSelector, IndexSelector, SliceSelector, WildcardSelector, FilterSelector } =
    loadPackage("json-p3").jsonpath.selectors;
  if (selector instanceof NameSelector) return nameSelector(selector.name);
  if (selector instanceof IndexSelector) return indexSelector(selector.index);
  if (selector instanceof SliceSelector) return sliceSelector(selector);
  if (selector instanceof WildcardSelector) return wildcard;
  if (selector instanceof FilterSelector)
    return filterSelector(compileTest(selector.expression, (query) => compileSegments(query, span)));
  throw new ExpressionError("select_refused", "the JSONPath has a selector that is not in the standard", span);
}

function nameSelector(name: string): Selector {
  return (node, _run, found) => {
    if (isObject(node) && Object.hasOwn(node, name)) found.push(node[name]);
  };
}

function indexSelector(wanted: number): Selector {
  return (node, _run, found) => {
    if (!Array.isArray(node)) return;
    const index = wanted < 0 ? node.length + wanted : wanted;
    if (index >= 0 && index < node.length) found.push(node[index]);
  };
}

const wildcard: Selector = (node, { frame, span }, found) => {
  const children = childrenOf(node);
  spend(frame, children.length, span);
  for (const child of children) found.push(child);
};

interface Slice {
  readonly start?: number | undefined;
  readonly stop?: number | undefined;
  readonly step?: number | undefined;
}

function sliceSelector({ start, stop, step = 1 }: Slice): Selector {
  return (node, { frame, span }, found) => {
    if (!Array.isArray(node) || step === 0) return;
    const { length } = node;
    const place = (index: number): number => (index < 0 ? length + index : index);
    const clamp = (index: number, low: number, high: number): number => Math.min(Math.max(index, low), high);
    if (step > 0) {
      const end = clamp(place(stop ?? length), 0, length);
      for (let at = clamp(place(start ?? 0), 0, length); at < end; at += step) {
        spend(frame, 1, span);
        found.push(node[at]);
      }
    } else {
      const end = stop === undefined ? -1 : clamp(place(stop), -1, length - 1);
      for (let at = clamp(start === undefined ? length - 1 : place(start), -1, length - 1); at > end; at += step) {
        spend(frame, 1, span);
        found.push(node[at]);
      }
    }
  };
}

function filterSelector(test: Test): Selector {
  return (node, run, found) => {
    for (const child of childrenOf(node)) {
      spend(run.frame, 1, run.span);
      if (test(child, run)) found.push(child);
    }
  };
}
