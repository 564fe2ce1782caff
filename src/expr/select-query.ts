import type { JSONPathQuery, jsonpath } from "json-p3";
import { isRecord } from "../schema/index.ts";
import { loadPackage } from "../base/index.ts";
import { ExpressionError, type SourceSpan } from "./expression-error.ts";
import { EvaluationFrame, spendTicks } from "./evaluation-frame.ts";
import { limits } from "./limits.ts";
import { type Query, type SelectRun, type Test, compileTest } from "./select-filter.ts";
import { missing } from "./scope.ts";
import { anyItem } from "./reference.ts";

/** Parses a JSONPath. The package parses and checks it; the document is walked here, where work is counted. */
export function parseSelect(path: string): JSONPathQuery {
  const { JSONPathEnvironment, JSONPathError } = loadPackage("json-p3");
  try {
    return new JSONPathEnvironment({ strict: true }).compile(path);
  } catch (error) {
    if (error instanceof JSONPathError) throw syntaxError(error, path);
    if (error instanceof RangeError) {
      const message = "the JSONPath nests too deeply";
      throw new ExpressionError("select_refused", message, { at: 0, end: path.length });
    }
    throw error;
  }
}

function syntaxError(error: Error & { readonly token: { readonly index: number } }, path: string): ExpressionError {
  // The package adds a part of the path and a position to its messages; the caller reports both more clearly.
  const why = error.message.replace(/ \('.*':-?\d+\)$/su, "").replaceAll(/TOKEN_/g, "");
  const at = Math.min(Math.max(0, error.token.index), path.length);
  const hint = path.startsWith("$") ? undefined : 'a JSONPath starts with "$", such as $.results[*].url';
  return new ExpressionError("select_syntax", `the JSONPath cannot be read: ${why}`, { at, end: at + 1, hint });
}

/** Finds the nodes that a parsed JSONPath selects. */
export function compileQuery(query: JSONPathQuery, path: string): NodeFinder {
  const span: SourceSpan = { at: 0, end: path.length };
  const find = compileSegments(query, span);
  return {
    singular: query.singularQuery(),
    nodes: (document) =>
      find(document, { document, span, frame: new EvaluationFrame({}, undefined, limits.selectTicks) }),
  };
}

/** Adds the selected children of a node to `found`. */
type Selector = (node: unknown, run: SelectRun, found: unknown[]) => void;

function compileSegments(query: JSONPathQuery, span: SourceSpan): Query {
  const segments = query.segments.map((segment) => {
    const selectors = segment.selectors.map((selector) => compileSelector(selector, span));
    // The two kinds of segments are distinguished by their text; their classes are not exported.
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
    spendTicks(run.frame, 1, run.span);
    for (const selector of selectors) selector(node, run, found);
  };
}

/** The node itself and all its descendants, parents before their children; without recursion, so any depth works. */
function descend(selectors: readonly Selector[]): Selector {
  const select = selectAll(selectors);
  return (top, run, found) => {
    const open: unknown[] = [top];
    while (open.length > 0) {
      const node = open.pop();
      select(node, run, found);
      const children = childrenOf(node);
      spendTicks(run.frame, children.length, run.span);
      for (let index = children.length - 1; index >= 0; index--) {
        const child = children[index];
        // A value without children contains no further nodes.
        if (typeof child === "object" && child !== null) open.push(child);
      }
    }
  };
}

function compileSelector(selector: jsonpath.JSONPathSelector, span: SourceSpan): Selector {
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
    if (isRecord(node) && Object.hasOwn(node, name)) found.push(node[name]);
  };
}

function indexSelector(expected: number): Selector {
  return (node, _run, found) => {
    if (!Array.isArray(node)) return;
    const index = expected < 0 ? node.length + expected : expected;
    if (index >= 0 && index < node.length) found.push(node[index]);
  };
}

const wildcard: Selector = (node, { frame, span }, found) => {
  const children = childrenOf(node);
  spendTicks(frame, children.length, span);
  for (const child of children) found.push(child);
};

function sliceSelector({
  start,
  stop,
  step = 1,
}: {
  readonly start?: number | undefined;
  readonly stop?: number | undefined;
  readonly step?: number | undefined;
}): Selector {
  return (node, { frame, span }, found) => {
    if (!Array.isArray(node) || step === 0) return;
    const { length } = node;
    const position = (index: number): number => (index < 0 ? length + index : index);
    const clamp = (index: number, low: number, high: number): number => Math.min(Math.max(index, low), high);
    if (step > 0) {
      const end = clamp(position(stop ?? length), 0, length);
      for (let at = clamp(position(start ?? 0), 0, length); at < end; at += step) {
        spendTicks(frame, 1, span);
        found.push(node[at]);
      }
    } else {
      const end = stop === undefined ? -1 : clamp(position(stop), -1, length - 1);
      for (let at = clamp(start === undefined ? length - 1 : position(start), -1, length - 1); at > end; at += step) {
        spendTicks(frame, 1, span);
        found.push(node[at]);
      }
    }
  };
}

function filterSelector(test: Test): Selector {
  return (node, run, found) => {
    for (const child of childrenOf(node)) {
      spendTicks(run.frame, 1, run.span);
      if (test(child, run)) found.push(child);
    }
  };
}

/** A compiled JSONPath. */
export interface Select {
  readonly path: string;
  /** The steps of a path of only names, indexes and `*`; undefined for any other path. */
  readonly steps: readonly SelectStep[] | undefined;
  /**
   * True if it can match at most one node: {@link select} returns its value, or `missing`. Otherwise it returns a list.
   */
  readonly singular: boolean;
  /** Selects the value at the path in a JSON document; throws an `ExpressionError` if that takes too much work. */
  readonly select: (document: unknown) => unknown;
}

/**
 * Compiles a JSONPath (RFC 9535). Throws an `ExpressionError`: `select_syntax` if it is invalid, `select_refused` if
 * it is larger than the limits allow.
 *
 * @example
 * ```ts
 * compileSelect("$.results[*].url").select({ results: [{ url: "a" }, { url: "b" }] }); // ["a", "b"]
 * ```
 */
export function compileSelect(path: string): Select {
  if (path.length > limits.selectCharacters) {
    const message = `a JSONPath may have at most ${limits.selectCharacters} characters, this one has ${path.length}`;
    throw new ExpressionError("select_refused", message, { at: 0, end: path.length });
  }
  const { singular, nodes, steps } = compilePlainSelect(path) ?? compileQuery(parseSelect(path), path);
  return {
    path,
    steps,
    singular,
    select: (document) => {
      const found = nodes(document);
      if (!singular) return found;
      const [only] = found;
      return only === undefined ? missing : only;
    },
  };
}

/** The nodes of a document that a JSONPath selects. */
interface NodeFinder {
  readonly singular: boolean;
  readonly nodes: (document: unknown) => unknown[];
  /** The steps of a path of only names, indexes and `*`; absent for any other path. */
  readonly steps?: readonly SelectStep[];
}

/** One step of a JSONPath: a name, an index, or {@link anyItem} for `*`. */
type SelectStep = string | number | typeof anyItem;

/** `.name`, `.*`, `[*]`, `[0]`, `['name']` or `["name"]` without escapes and controls; names as in the full parser. */
const segment =
  // oxlint-disable-next-line no-control-regex
  /\.(?<name>[\u0080-\uFFFFa-zA-Z_][\u0080-\uFFFFa-zA-Z0-9_-]*)|(?<all>\.\*|\[\*\])|\[(?<index>0|-?[1-9]\d{0,14})\]|\['(?<single>[^'\\\0-\x1f\x7f-\x9f\ud800-\udfff]*)'\]|\["(?<double>[^"\\\0-\x1f\x7f-\x9f\ud800-\udfff]*)"\]/uy;

/** A path of only names, indexes and `*`, which most are. Undefined for any other path, which needs the full parser. */
export function compilePlainSelect(path: string): NodeFinder | undefined {
  const steps = readSteps(path);
  if (steps === undefined) return undefined;
  const span = { at: 0, end: path.length };
  return {
    steps,
    singular: !steps.includes(anyItem),
    nodes: (document) => {
      const frame = new EvaluationFrame({}, undefined, limits.selectTicks);
      let nodes: unknown[] = [document];
      for (const step of steps) nodes = take(step, nodes, { frame, span });
      return nodes;
    },
  };
}

function readSteps(path: string): SelectStep[] | undefined {
  if (path[0] !== "$") return undefined;
  const steps: SelectStep[] = [];
  for (let at = 1; at < path.length; at = segment.lastIndex) {
    segment.lastIndex = at;
    const groups = segment.exec(path)?.groups;
    if (groups === undefined) return undefined;
    const name = groups["name"] ?? groups["single"] ?? groups["double"];
    steps.push(groups["all"] === undefined ? (name ?? Number(groups["index"])) : anyItem);
  }
  return steps;
}

function take(
  step: SelectStep,
  nodes: readonly unknown[],
  { frame, span }: { frame: EvaluationFrame; span: SourceSpan },
): unknown[] {
  const found: unknown[] = [];
  for (const node of nodes) {
    spendTicks(frame, 1, span);
    if (step === anyItem) {
      const children = childrenOf(node);
      spendTicks(frame, children.length, span);
      for (const child of children) found.push(child);
    } else if (typeof step === "string") {
      if (isRecord(node) && Object.hasOwn(node, step)) found.push(node[step]);
    } else if (Array.isArray(node)) {
      const index = step < 0 ? node.length + step : step;
      if (index >= 0 && index < node.length) found.push(node[index]);
    }
  }
  return found;
}

/** The items of a list or the values of an object; anything else has no children. */
function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? Object.values(value) : [];
}
