import { describeFallback, describeStep } from "./describe-step.ts";
import { type ChainGraph, type GraphNode, isStep, type GraphStep, type GraphPort } from "./graph.ts";
import { type Layout, layOut } from "./layout/layout-graph.ts";
import { drawEdges, drawnEdges } from "./svg/draw-edges.ts";
import { drawEdgeLabels } from "./svg/edge-labels.ts";
import { type Figure, element, escapeXml, escapeOneLine, prose } from "./svg/render-xml.ts";
import { type Theme, rootClass, styleSheet } from "./svg/palette.ts";
import { stepCard } from "./svg/step-card.ts";
import { type Font, fitText, textWidth, wrapSvgText } from "./svg/text-width.ts";
import { renderTextRuns, renderText } from "./svg/render-text.ts";

/** Options of the drawing. */
export interface SvgOptions {
  /** `auto`, the default, follows what the reader's system prefers. */
  readonly theme?: Theme;
}

const titleFont: Font = { size: 19, face: "sans", bold: true };
const versionFont: Font = { size: 12, face: "sans" };
const textFont: Font = { size: 13, face: "sans" };
const noteFont: Font = { size: 12, face: "sans" };
const margin = 28;
const narrowest = 340;
/** Beyond this many nodes the cards show only ids. */
const compactAbove = 300;

/**
 * Draws a chain as an SVG picture for documents: it needs no fonts, scripts or files beside it, and the same graph
 * always gives the same text.
 *
 * @example
 * ```ts
 * await writeFile("chain.svg", toSvg(chainGraph(plan), { theme: "light" }));
 * ```
 */
export function toSvg(graph: ChainGraph, options: SvgOptions = {}): string {
  const theme = options.theme ?? "auto";
  const compact = graph.nodes.length > compactAbove;
  const figures = graph.nodes.map((node) => figureOf(node, compact));
  const layout = layOutGraph(graph, figures, compact);
  const width = Math.max(narrowest, layout.width);
  const heading = drawHeading(graph, width);
  const notes = drawNotes(graph, { layout, width, y: margin + heading.height + layout.height + 30 });
  const size = {
    width: Math.ceil(width + 2 * margin),
    height: Math.ceil(margin * 2 + heading.height + layout.height + notes.height),
  };
  const drawn = drawnEdges(graph, layout, figures);
  const shift = `translate(${margin + Math.round((width - layout.width) / 2)} ${margin + heading.height})`;
  const parts = [
    element("title", {}, escapeXml(escapeOneLine(graph.name))),
    element("desc", {}, escapeXml(describeGraph(graph))),
    element("style", {}, styleSheet(theme)),
    element("rect", { class: "ground", width: size.width, height: size.height }),
    heading.xml,
    element("g", { transform: shift }, drawBody({ layout, figures, drawn, compact })),
    notes.xml,
  ];
  const root = {
    xmlns: "http://www.w3.org/2000/svg",
    class: rootClass(theme),
    role: "img",
    "aria-label": escapeOneLine(graph.name),
    ...size,
    viewBox: `0 0 ${size.width} ${size.height}`,
    style: "max-width:100%;height:auto",
  };
  return `${element("svg", root, `\n${parts.filter((part) => part !== "").join("\n")}\n`)}\n`;
}

function figureOf(node: GraphNode, compact: boolean): Figure {
  if (!isStep(node)) return portPill(node);
  return compact ? compactCard(node) : stepCard(node);
}

function layOutGraph(graph: ChainGraph, figures: readonly Figure[], compact: boolean): Layout {
  const index = new Map(graph.nodes.map((node, at) => [node.key, at]));
  const nodes = graph.nodes.map(({ kind }, at) => {
    const { left, right, height } = figures[at] ?? { left: 0, right: 0, height: 0 };
    if (kind === "input") return { left, right, height, pin: "first" as const };
    return kind === "output" ? { left, right, height, pin: "last" as const } : { left, right, height };
  });
  const edges = graph.edges.map(({ from, to, kind }) => {
    // An edge to a missing node is not drawn, nor is one that leads to itself.
    const [start = 0, end = start] = [index.get(from), index.get(to)];
    return index.has(from) ? { from: start, to: end, style: kind } : { from: 0, to: 0, style: kind };
  });
  // A picture of very many nodes may be wider, but not without limit.
  const maxRowWidth = compact ? Math.max(2400, Math.sqrt(graph.nodes.length) * 160) : 1400;
  return layOut(nodes, edges, { maxRowWidth, rowGap: compact ? 34 : 44 });
}

function drawBody(parts: {
  layout: Layout;
  figures: readonly Figure[];
  drawn: ReturnType<typeof drawnEdges>;
  compact: boolean;
}): string {
  const { layout, figures, drawn, compact } = parts;
  const cards = figures.map((figure, at) => {
    const { x, y } = layout.boxes[at] ?? { x: 0, y: 0 };
    return figure.draw(x, y);
  });
  const labels = compact ? "" : drawEdgeLabels(drawn);
  return `\n${[drawEdges(drawn), labels, ...cards].filter((part) => part !== "").join("\n")}\n`;
}

function drawHeading(graph: ChainGraph, width: number): { xml: string; height: number } {
  const version = graph.version === "" ? "" : `v${escapeOneLine(graph.version)}`;
  const room = width - (version === "" ? 0 : textWidth(version, versionFont) + 10);
  const name = fitText(escapeOneLine(graph.name), titleFont, room);
  const lines = wrapSvgText(prose(graph.description), textFont, { width, max: 4 });
  const title = { text: name, font: titleFont, tone: "text" };
  const suffix = { text: version, font: versionFont, tone: "muted", gap: 10 };
  const xml = [
    renderTextRuns(version === "" ? [title] : [title, suffix], { x: margin, y: margin + 16 }),
    ...lines.map((line, at) =>
      renderText(line, { x: margin, y: margin + 41 + at * 19, font: textFont, tone: "muted" }),
    ),
  ];
  return { xml: xml.join(""), height: 24 + lines.length * 19 + 26 };
}

/** Notes below the picture for facts that lines cannot show. */
function drawNotes(
  graph: ChainGraph,
  { layout, width, y }: { layout: Layout; width: number; y: number },
): { xml: string; height: number } {
  const left = layout.lines.filter((line) => line.length === 0).length;
  const notes = [
    ...graph.fallbacks.slice(0, 5).map((fallback) => `Any other step ${describeFallback(fallback)}`),
    ...(left > 0 ? [`${left} connections that others imply are not drawn`] : []),
  ];
  const lines = notes.map((note) => fitText(prose(note), noteFont, width));
  const xml = lines.map((line, at) => renderText(line, { x: margin, y: y + at * 18, font: noteFont, tone: "muted" }));
  return { xml: xml.join(""), height: lines.length === 0 ? 0 : 20 + lines.length * 18 };
}

/** The picture as text, for screen readers. */
function describeGraph(graph: ChainGraph): string {
  const steps = graph.nodes.flatMap((node) => (isStep(node) ? [`${node.id} (${node.tool})`] : []));
  const about = prose(graph.description);
  const list = `${steps.length} steps: ${steps.slice(0, 50).join(", ")}${steps.length > 50 ? ", …" : ""}`;
  return about === "" ? prose(list) : `${about}\n${prose(list)}`;
}

const font: Font = { size: 11, face: "sans", bold: true };
const height = 24;
const widest = 120;

/** A step as a small card with its id alone, for pictures of very many; the tooltip holds the rest. */
function compactCard(step: GraphStep): Figure {
  const id = fitText(escapeOneLine(step.id), font, widest);
  const half = Math.ceil(textWidth(id, font) + 22) / 2;
  return {
    left: half,
    right: half,
    height,
    foot: height,
    draw: (x, y) => {
      const box = { x: x - half, y, width: half * 2, height, rx: 4 };
      const parts = [
        element("title", {}, escapeXml(describeStep(step).split("\n").map(prose).join("\n"))),
        element("rect", { class: "card", ...box }),
        element("rect", { class: `bar ${step.effect}`, x: x - half, y, width: 4, height, rx: 2 }),
        element("rect", { class: "edge", ...box }),
        renderText(id, { x: x - half + 12, y: y + 16, font, tone: "text" }),
      ];
      return element("g", {}, parts.join(""));
    },
  };
}

const wordFont: Font = { size: 11.5, face: "sans" };
const fieldFont: Font = { size: 12, face: "mono" };
const pillHeight = 34;
const pad = 18;
const gap = 10;
const widestFields = 420;

/** Input or output of a chain, as a pill. */
export function portPill(port: GraphPort): Figure {
  const names = port.fields.map((field) => escapeOneLine(field));
  const fields = fitText(names.join(" \u00b7 "), fieldFont, widestFields);
  const word = textWidth(port.kind, wordFont);
  const width = pad * 2 + word + (fields === "" ? 0 : gap + textWidth(fields, fieldFont));
  const half = Math.ceil(width) / 2;
  return {
    left: half,
    right: half,
    height: pillHeight,
    foot: pillHeight,
    draw: (x, y) => {
      const box = { x: x - half, y, width: half * 2, height: pillHeight, rx: pillHeight / 2 };
      const spans = [{ text: port.kind, font: wordFont, tone: "muted" }];
      const named = { text: fields, font: fieldFont, tone: "text", gap };
      const parts = [
        element("title", {}, escapeXml(prose(`${port.kind}: ${names.join(", ")}`))),
        element("rect", { class: "strip", ...box }),
        element("rect", { class: "edge", ...box }),
        renderTextRuns(fields === "" ? spans : [...spans, named], { x, y: y + 21, anchor: "middle" }),
      ];
      return element("g", {}, parts.join(""));
    },
  };
}
