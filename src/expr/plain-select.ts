import { isRecord } from "../schema/index.ts";
import type { SourceSpan } from "./expression-error.ts";
import { EvaluationFrame, spendTicks } from "./evaluation-frame.ts";
import { limits } from "./limits.ts";
import { anyItem } from "./reference.ts";

/** The nodes of a document that a JSONPath selects. */
export interface NodeFinder {
  readonly singular: boolean;
  readonly nodes: (document: unknown) => unknown[];
  /** The steps of a path of only names, indexes and `*`; absent for any other path. */
  readonly steps?: readonly SelectStep[];
}

/** One step of a JSONPath: a name, an index, or {@link anyItem} for `*`. */
export type SelectStep = string | number | typeof anyItem;

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
export function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? Object.values(value) : [];
}
