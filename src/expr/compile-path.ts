import { isRecord } from "../schema/index.ts";
import type { Compile } from "./compile.ts";
import { ExpressionError, type SourceSpan, isExpressionError } from "./expression-error.ts";
import { type Code, type Evaluation, type EvaluationFrame, spendTicks } from "./evaluation-frame.ts";
import { isFalsy } from "./is-equal.ts";
import { ticksPerKey, limits } from "./limits.ts";
import { missing, type RootName, type Scope, isStepTable } from "./scope.ts";
import type { PathNode, Segment, SyntaxNode } from "./syntax-node.ts";
import { typeName } from "./type-name.ts";

/** A path of only names and indexes, evaluated without a frame: the most common expression. */
export function compilePlainPath({ base, segments }: PathNode): ((scope: Scope) => unknown) | undefined {
  if (base.kind !== "root") return undefined;
  const walks: Walk[] = [];
  for (const [index, segment] of segments.entries()) {
    if (segment.kind === "name") walks.push(nameStep(segment, index === 0 && base.name === "steps"));
    else if (segment.kind === "index") walks.push(indexWalk(segment.index, segment));
    else return undefined;
  }
  const { name } = base;
  return (scope) => {
    let value: unknown = scope[name];
    if (value === undefined) return missing;
    for (const walk of walks) {
      value = walk(value);
      if (value === missing) return missing;
    }
    return value;
  };
}

/** A path of only names: the most common expression, whose evaluation never fails. */
export interface NamePath {
  readonly root: RootName;
  readonly names: readonly string[];
}

export function namePathOf(node: SyntaxNode): NamePath | undefined {
  if (node.kind !== "path" || node.base.kind !== "root") return undefined;
  const { base, segments } = node;
  return segments.every(isPlainName) ? { root: base.name, names: segments.map(({ name }) => name) } : undefined;
}

/**
 * Follows names in one loop, because one function per name takes three times as long. Reports `path` if the value is
 * missing.
 */
export function compileNames(
  { root, names }: NamePath,
  path: string,
): (scope: Scope, evaluation?: Evaluation) => unknown {
  const ofStep = root === "steps" && names.length > 0;
  return (scope, evaluation) => {
    const value = ofStep ? followStep(scope.steps, names) : follow(scope[root], names, 0);
    if (value === missing) evaluation?.onMissing?.(path);
    return value;
  };
}

function followStep(steps: unknown, names: readonly string[]): unknown {
  if (!isStepTable(steps)) return follow(steps, names, 0);
  const id = names[0] as string;
  return names[1] === "output" ? follow(steps.output(id), names, 2) : follow(steps.entry(id), names, 1);
}

function follow(from: unknown, names: readonly string[], first: number): unknown {
  let value = from;
  for (let index = first; index < names.length; index++) {
    const name = names[index] as string;
    if (!isRecord(value) || !Object.hasOwn(value, name)) return missing;
    value = value[name];
  }
  return value === undefined ? missing : value;
}

function isPlainName(segment: Segment): segment is Extract<Segment, { kind: "name" }> {
  return segment.kind === "name" && !isSizeAccess(segment);
}

function isSizeAccess({ dotted, name }: Extract<Segment, { kind: "name" }>): boolean {
  // Names after a dot that request a size.
  return dotted && (name === "size" || name === "length" || name === "count");
}

/** Compiles any path. It evaluates to missing if it leads nowhere. */
export function compilePath(path: PathNode, compile: Compile): Code {
  const base = compileBase(path, compile);
  const ofSteps = path.base.kind === "root" && path.base.name === "steps";
  const steps = path.segments.map((segment, index) =>
    ofSteps && index === 0 && segment.kind === "name"
      ? fixed(nameStep(segment, true), segment)
      : compileStep(segment, compile),
  );
  const fan = path.segments.findIndex(({ kind }) => kind === "all" || kind === "filter");
  const single = fan === -1 ? steps : steps.slice(0, fan + 1);
  const mapped = fan === -1 ? [] : steps.slice(fan + 1);
  const cost = 1 + path.segments.length;
  return (frame) => {
    spendTicks(frame, cost, path);
    let value = base(frame);
    for (const step of single) {
      if (value === missing) return missing;
      value = step.bind(frame)(value, frame);
    }
    if (value === missing) return missing;
    // After [*] and [?…] the value is a list, and each step applies to each of its items.
    for (const step of mapped) value = mapItems(value as readonly unknown[], step, frame);
    return value;
  };
}

function compileBase({ base }: PathNode, compile: Compile): Code {
  switch (base.kind) {
    case "root": {
      const { name } = base;
      return ({ scope }) => {
        const value = scope[name];
        return value === undefined ? missing : value;
      };
    }
    case "current":
      return (frame) => frame.current;
    default:
      return compile.accepting(base.node);
  }
}

interface Step {
  readonly span: SourceSpan;
  /** Binds the step to an evaluation: keys and bounds are computed once, not per item. */
  readonly bind: (frame: EvaluationFrame) => Walk;
  /** True if its results are lists whose items are spread when it is mapped. */
  readonly spreads: boolean;
}

function compileStep(segment: Segment, compile: Compile): Step {
  const span: SourceSpan = segment;
  switch (segment.kind) {
    case "name":
      return fixed(nameStep(segment), span);
    case "index":
      return fixed(indexWalk(segment.index, span), span);
    case "all":
      return { span, bind: always(allWalk(span)), spreads: true };
    case "slice":
      return { span, bind: sliceStep(segment, compile), spreads: true };
    case "computed":
      return { span, bind: computedStep(segment.key, span, compile.accepting(segment.key)), spreads: false };
    default:
      return { span, bind: always(filterWalk(compile.accepting(segment.test), span)), spreads: true };
  }
}

function fixed(walk: Walk, span: SourceSpan): Step {
  return { span, bind: always(walk), spreads: false };
}

function always(walk: Walk): (frame: EvaluationFrame) => Walk {
  return () => walk;
}

function nameStep(segment: Extract<Segment, { kind: "name" }>, ofSteps = false): Walk {
  const walk = isSizeAccess(segment) ? sizeWalk(segment.name, segment) : nameWalk(segment.name);
  return ofSteps ? stepWalk(segment.name, walk) : walk;
}

/** `[*]`: the items of a list or of the one list inside, else the values of an object. */
function allWalk(span: SourceSpan): Walk {
  return (value, frame) => {
    const list = unwrapList(value, span, frame);
    if (list !== undefined || !isRecord(value)) return list ?? missing;
    const values = Object.values(value);
    if (frame !== undefined) spendTicks(frame, ticksPerKey * values.length, span);
    return values;
  };
}

/** `[?…]`: the items for which the test holds. */
function filterWalk(test: Code, span: SourceSpan): Walk {
  return (value, frame) => {
    const list = unwrapList(value, span, frame);
    if (list === undefined || frame === undefined) return missing;
    const stored: unknown[] = [];
    const outer = frame.current;
    let index = 0;
    try {
      for (const item of list) {
        spendTicks(frame, 1, span);
        frame.current = item;
        if (!isFalsy(test(frame))) stored.push(item);
        index++;
      }
    } catch (error) {
      throw isExpressionError(error) ? error.ofItem(index) : error;
    }
    frame.current = outer;
    return stored;
  };
}

function computedStep(node: SyntaxNode, span: SourceSpan, code: Code): (frame: EvaluationFrame) => Walk {
  return (frame) => {
    const key = code(frame);
    if (typeof key === "string") return nameWalk(key);
    if (typeof key === "number") return indexWalk(key, span);
    if (key === missing || key === null) return () => missing;
    const message = `an index is a number or a string, not a ${typeName(key)}`;
    throw new ExpressionError("type", message, node);
  };
}

function sliceStep(
  { from, to, at, end }: Extract<Segment, { kind: "slice" }>,
  compile: Compile,
): (frame: EvaluationFrame) => Walk {
  const start = from && bound(from, compile.needing(from));
  const stop = to && bound(to, compile.needing(to));
  const span = { at, end };
  return (frame) => {
    const first = start?.(frame);
    const last = stop?.(frame);
    return (value) => {
      if (typeof value === "string") return sliceText(value, first, last);
      const list = unwrapList(value, span, frame);
      if (list === undefined) return missing;
      const part = list.slice(first, last);
      spendTicks(frame, part.length, span);
      return part;
    };
  };
}

function bound(node: SyntaxNode, code: Code): (frame: EvaluationFrame) => number {
  return (frame) => {
    const value = code(frame);
    if (typeof value === "number" && Number.isInteger(value)) return value;
    const shown = typeof value === "number" ? String(value) : typeName(value);
    throw new ExpressionError("type", `the bounds of a slice are whole numbers, not ${shown}`, node);
  };
}

/** Never splits a character: JSON must contain whole characters. */
function sliceText(text: string, from: number | undefined, to: number | undefined): string {
  const part = text.slice(from, to);
  return part.isWellFormed() ? part : part.replace(/^[\uDC00-\uDFFF]/, "").replace(/[\uD800-\uDBFF]$/, "");
}

/** Applies a step to every item and drops the items that lack it. */
function mapItems(items: readonly unknown[], step: Step, frame: EvaluationFrame): unknown[] {
  const walk = step.bind(frame);
  const found: unknown[] = [];
  for (const item of items) {
    spendTicks(frame, 1, step.span);
    const value = walk(item, frame);
    if (value === missing) continue;
    if (step.spreads && Array.isArray(value)) {
      spendTicks(frame, value.length, step.span);
      for (const part of value) found.push(part);
    } else found.push(value);
  }
  return found;
}

/** Walks from `steps` to the step of this name; `walk` does so if they are an object. */
function stepWalk(id: string, walk: Walk): Walk {
  return (steps, frame) => {
    if (!isStepTable(steps)) return walk(steps, frame);
    const entry = steps.entry(id);
    return entry === undefined ? missing : entry;
  };
}

/** One step from a value to a part of it. Without a frame it is one of few steps, and needs no budget. */
type Walk = (value: unknown, frame?: EvaluationFrame) => unknown;

/** `["name"]`, and `.name` for most names. */
function nameWalk(name: string): Walk {
  return (value) => (isRecord(value) ? ownValue(value, name) : missing);
}

/** `.size`, `.length` and `.count`: a key if an object has it, else the size of the list, or of the one list inside. */
function sizeWalk(name: string, span: SourceSpan): Walk {
  return (value, frame) => {
    if (Array.isArray(value)) return value.length;
    if (typeof value === "string") return name === "count" ? missing : value.length;
    if (!isRecord(value)) return missing;
    if (Object.hasOwn(value, name)) return ownValue(value, name);
    return oneListInside(value, span, frame)?.length ?? missing;
  };
}

/** `[0]`, and `[-1]` from the end. */
function indexWalk(index: number, span: SourceSpan): Walk {
  return (value, frame) => {
    if (isRecord(value) && Object.hasOwn(value, index)) return ownValue(value, String(index));
    const list = unwrapList(value, span, frame);
    if (list === undefined) return missing;
    const found: unknown = list[index < 0 ? list.length + index : index];
    return found === undefined ? missing : found;
  };
}

/** The value itself if it is a list, or the only list among the values of an object. */
function unwrapList(value: unknown, span: SourceSpan, frame?: EvaluationFrame): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? oneListInside(value, span, frame) : undefined;
}

/** An own property, or missing. */
function ownValue(value: Readonly<Record<string, unknown>>, key: string): unknown {
  const found = Object.hasOwn(value, key) ? value[key] : undefined;
  return found === undefined ? missing : found;
}

/** The list among the values of an object, if there is exactly one. */
function oneListInside(
  value: Readonly<Record<string, unknown>>,
  span: SourceSpan,
  frame: EvaluationFrame | undefined,
): readonly unknown[] | undefined {
  let found: readonly unknown[] | undefined;
  let lists = 0;
  let keys = 0;
  for (const key in value) {
    if (++keys > limits.ticks) throw tooManyKeys(span);
    const item = Object.hasOwn(value, key) ? value[key] : undefined;
    if (!Array.isArray(item)) continue;
    found = item;
    if (++lists > 1) break;
  }
  if (frame !== undefined) spendTicks(frame, ticksPerKey * keys, span);
  return lists === 1 ? found : undefined;
}

function tooManyKeys({ at, end }: SourceSpan): ExpressionError {
  const message = `an object of more than ${limits.ticks} keys is not searched for its list`;
  return new ExpressionError("budget", message, { at, end, hint: "name the key of the list" });
}
