import { cutDisplay } from "../../text/index.ts";
import { prose } from "./svg/render-xml.ts";
import { calleeText, duration, furtherCondition } from "./describe-step.ts";
import {
  type ChainGraph,
  type GraphEdge,
  type GraphFallback,
  type GraphNode,
  type GraphStep,
  isStep,
} from "./graph.ts";

/** Fill and line of each kind of box; they are readable on light and on dark ground. */
const classes: Readonly<Record<string, string>> = {
  pure: "stroke:#8250df,stroke-width:2px",
  read: "stroke:#0969da,stroke-width:2px",
  idempotent: "stroke:#1a7f37,stroke-width:2px",
  once: "stroke:#c4480a,stroke-width:2px",
  varies: "stroke:#6e7781,stroke-width:2px",
  fallback: "stroke-dasharray:4 3",
};

const maxLength = 80;

/**
 * Draws a chain as a Mermaid flowchart, for renderers of Mermaid. Boxes are named `n1`, `n2`, …; texts of the chain
 * stand only in labels, with every special character encoded.
 *
 * @example
 * ```ts
 * console.log(toMermaid(chainGraph(plan)));
 * ```
 */
export function toMermaid(graph: ChainGraph): string {
  const names = new Map(graph.nodes.map(({ key }, at) => [key, `n${at + 1}`]));
  const members = new Map<string, string[]>();
  const join = (group: string, name: string): void => {
    members.set(group, [...(members.get(group) ?? []), name]);
  };
  const lines = ["flowchart TD"];
  for (const node of graph.nodes) {
    const name = names.get(node.key) ?? "";
    lines.push(name + shape(node));
    if (!isStep(node)) continue;
    join(node.effect, name);
    for (const [at, fallback] of node.fallbacks.entries()) {
      const other = `${name}f${at + 1}`;
      lines.push(other + standIn(fallback, ifText(furtherCondition(node, fallback))));
      lines.push(`${name} -. "if it fails" .-> ${other}`);
      join("fallback", other);
    }
  }
  for (const edge of graph.edges) lines.push(...arrow(edge, names));
  for (const [at, fallback] of graph.fallbacks.entries()) {
    lines.push(`f${at + 1}${standIn(fallback, `if any other step fails ${ifText(fallback.condition)}`)}`);
    join("fallback", `f${at + 1}`);
  }
  for (const [group, list] of members)
    lines.push(`classDef ${group} ${classes[group]}`, `class ${list.join(",")} ${group}`);
  return `${lines.map((line, at) => (at === 0 ? line : `  ${line}`)).join("\n")}\n`;
}

function shape(node: GraphNode): string {
  if (!isStep(node)) {
    const fields = node.fields.slice(0, 20).join(", ");
    return `(["${label([node.kind, fields])}"])`;
  }
  const text = label([node.id, calleeText(node), ...marks(node)]);
  if (node.wait !== undefined) return `{{"${text}"}}`;
  return node.kind === "chain" ? `[["${text}"]]` : `["${text}"]`;
}

function marks(step: GraphStep): string[] {
  const list: string[] = [];
  if (step.condition !== undefined) list.push(`if ${step.condition}`);
  if (step.forEach !== undefined) list.push(`for each of ${step.forEach.items}`);
  if (step.repeat !== undefined) list.push(`until ${step.repeat.until}, at most ${step.repeat.max}`);
  if (step.approval !== undefined) list.push("approval");
  if (step.retry !== undefined) list.push(`retry ${step.retry}`);
  if (step.cacheMs !== undefined) list.push(`cache ${duration(step.cacheMs)}`);
  if (step.compensate !== undefined) list.push(`undo with ${step.compensate}`);
  return list;
}

function standIn({ tool, kind }: GraphFallback, when: string): string {
  const text = label([tool, when]);
  return kind === "chain" ? `[["${text}"]]` : `["${text}"]`;
}

function ifText(condition: string | undefined): string {
  return condition === undefined ? "" : `if ${condition}`;
}

function arrow({ from, to, kind, label: text }: GraphEdge, names: ReadonlyMap<string, string>): string[] {
  const [start, end] = [names.get(from), names.get(to)];
  if (start === undefined || end === undefined) return [];
  const written = text === undefined ? "" : label([text]);
  const words = written === "" ? "" : `|"${written}"|`;
  return [`${start} ${kind === "data" ? "-->" : "-.->"}${words} ${end}`];
}

/** Lines of a label. */
function label(lines: readonly string[]): string {
  return lines
    .filter((line) => line !== "")
    .map((line) => encode(cutDisplay(prose(line), maxLength)))
    .join("<br/>");
}

/** Mermaid's escape for special characters; letters of any script stay as they are. */
function encode(text: string): string {
  return text.replace(/[^\p{L}\p{M}\p{N} _.,…]/gu, (sign) => `#${sign.codePointAt(0)};`);
}
