import { calleeText, describeStep, duration } from "../describe-step.ts";
import type { GraphStep } from "../graph.ts";
import { drawFallbacks, measureFallbacks } from "./fallback-cards.ts";
import { type Figure, element, escapeXml, escapeOneLine, prose, short } from "./render-xml.ts";
import { type Font, fitText, textWidth } from "./text-width.ts";
import { renderTextRuns, renderText } from "./render-text.ts";

const idFont: Font = { size: 14, face: "sans", bold: true };
const toolFont: Font = { size: 12, face: "mono" };
const wordFont: Font = { size: 10.5, face: "sans" };
const stripFont: Font = { size: 11, face: "mono" };

const narrowest = 132;
const widest = 288;
const round = 8;
const barWidth = 4;
const padLeft = 16;
const padRight = 12;
const stripHeight = 24;
/** From the upper edge of the main part to below the name of the tool. */
const mainHeight = 54;
/** Offset by which the cards of a `for_each` show behind the first. */
const stackStep = 4;

interface Strip {
  readonly icon: IconName;
  readonly word: string;
  readonly text: string;
}

interface Card {
  readonly step: GraphStep;
  readonly strips: readonly Strip[];
  readonly chips: ChipRows;
  readonly width: number;
  readonly height: number;
}

/** A step as a card, with its fallbacks beside it. */
export function stepCard(step: GraphStep): Figure {
  const card = measureCard(step);
  const behind = step.forEach === undefined ? 0 : stackStep * 2;
  const fallbacks = measureFallbacks(step, card.height);
  const half = card.width / 2;
  return {
    left: half,
    right: half + Math.max(behind, fallbacks.width),
    height: Math.max(card.height + behind, fallbacks.height),
    foot: card.height + behind,
    draw: (x, y) => {
      const position = { x: x - half, y };
      const parts = [
        element("title", {}, escapeXml(describeStep(step).split("\n").map(prose).join("\n"))),
        behind === 0 ? "" : drawStack(card, position),
        drawCard(card, position),
        drawFallbacks(fallbacks, { x: x + half, y }),
      ];
      return element("g", {}, parts.join(""));
    },
  };
}

function measureCard(step: GraphStep): Card {
  const strips = stripsOf(step);
  const room = widest - padLeft - padRight;
  const chips = layChips(step, room);
  const widths = [
    textWidth(escapeOneLine(step.id), idFont) + 14 + textWidth(step.effect, wordFont),
    textWidth(escapeOneLine(calleeText(step)), toolFont) + (step.kind === "chain" ? 17 : 0),
    ...strips.map((strip) => textWidth(strip.word, wordFont) + textWidth(strip.text, stripFont) + 24),
    chips.width,
  ];
  const content = Math.min(room, Math.max(narrowest - padLeft - padRight, ...widths));
  return {
    step,
    strips,
    chips,
    width: Math.ceil(content + padLeft + padRight),
    height: strips.length * stripHeight + mainHeight + chips.height,
  };
}

function stripsOf({ condition, forEach }: GraphStep): Strip[] {
  const strips: Strip[] = [];
  if (condition !== undefined) strips.push({ icon: "condition", word: "if", text: readable(condition) });
  if (forEach !== undefined) strips.push({ icon: "each", word: "each", text: readable(forEach.items) });
  return strips;
}

/** An expression in one line; a long one names outputs by their steps alone, so that more of it can be seen. */
function readable(expression: string): string {
  const text = escapeOneLine(expression);
  if (textWidth(text, stripFont) <= widest - padLeft - padRight - 40) return text;
  return text.replace(/\bsteps\.([\p{L}\p{N}_-]+)\.output\b/gu, "$1");
}

interface CardPosition {
  readonly x: number;
  readonly y: number;
}

function drawStack({ width, height }: Card, { x, y }: CardPosition): string {
  return [2, 1]
    .map((step) => ({ x: x + step * stackStep, y: y + step * stackStep, width, height, rx: round }))
    .map((box) => element("rect", { class: "card", ...box }) + element("rect", { class: "edge", ...box }))
    .join("");
}

function drawCard(card: Card, { x, y }: CardPosition): string {
  const { width, height, strips } = card;
  const box = { x, y, width, height, rx: round };
  const top = y + strips.length * stripHeight;
  return [
    element("rect", { class: "card", ...box }),
    drawStrips(card, { x, y }),
    drawBar(card, { x, y }),
    element("rect", { class: "edge", ...box }),
    drawMain(card, { x, y: top }),
    drawChips(card.chips, { x: x + padLeft, y: top + mainHeight - 4 }),
  ].join("");
}

function drawStrips({ strips, width }: Card, { x, y }: CardPosition): string {
  if (strips.length === 0) return "";
  const bottom = y + strips.length * stripHeight;
  const [left, right, upper] = [short(x), short(x + width), short(y + round)];
  const d = `M${left} ${short(bottom)}V${upper}a${round} ${round} 0 0 1 ${round}-${round}H${short(x + width - round)}a${round} ${round} 0 0 1 ${round} ${round}V${short(bottom)}Z`;
  const lines = strips.map((strip, at) => {
    const base = y + at * stripHeight;
    const wordEnd = x + padLeft + 17 + textWidth(strip.word, wordFont);
    const room = x + width - padRight - wordEnd - 5;
    const spans = [
      { text: strip.word, font: wordFont, tone: "muted" },
      { text: fitText(strip.text, stripFont, room), font: stripFont, tone: "text", gap: 5 },
    ];
    return [
      icon(strip.icon, { x: x + padLeft, y: base + 6 }),
      renderTextRuns(spans, { x: x + padLeft + 17, y: base + 16 }),
      element("path", { class: "rule", d: `M${left} ${short(base + stripHeight)}H${right}` }),
    ].join("");
  });
  return element("path", { class: "strip", d }) + lines.join("");
}

/** The bar at the left, in the color of the effect; its corners follow those of the card. */
function drawBar({ step, height }: Card, { x, y }: CardPosition): string {
  const inset = round - Math.sqrt(round ** 2 - (round - barWidth) ** 2);
  const arc = `A${round} ${round} 0 0 0`;
  const edge = short(x + barWidth);
  const d = `M${edge} ${short(y + inset)}${arc} ${short(x)} ${short(y + round)}V${short(y + height - round)}${arc} ${edge} ${short(y + height - inset)}Z`;
  return element("path", { class: `bar ${step.effect}`, d });
}

function drawMain({ step, width }: Card, { x, y }: CardPosition): string {
  const room = width - padLeft - padRight;
  const indent = step.kind === "chain" ? 17 : 0;
  const id = fitText(escapeOneLine(step.id), idFont, room - textWidth(step.effect, wordFont) - 10);
  const tool = fitText(escapeOneLine(calleeText(step)), toolFont, room - indent);
  return [
    renderText(id, { x: x + padLeft, y: y + 23, font: idFont, tone: "text" }),
    renderText(step.effect, {
      x: x + width - padRight,
      y: y + 22.5,
      font: wordFont,
      tone: `word ${step.effect}`,
      anchor: "end",
    }),
    indent === 0 ? "" : icon("chain", { x: x + padLeft, y: y + 31 }),
    renderText(tool, { x: x + padLeft + indent, y: y + 41, font: toolFont, tone: "muted" }),
  ].join("");
}

const chipFont: Font = { size: 10.5, face: "sans" };
const chipHeight = 18;
const chipGap = 5;
/** From the left edge of a chip to its text, and from its text to its right edge. */
const before = 22;
const after = 8;

interface Chip {
  readonly icon: IconName;
  readonly text: string;
  readonly x: number;
  readonly row: number;
  readonly width: number;
}

/** Small marks of a step in rows, and their size. */
interface ChipRows {
  readonly chips: readonly Chip[];
  readonly width: number;
  readonly height: number;
}

/** Lays out the features of a step as rows of chips no wider than `room`. */
function layChips(step: GraphStep, room: number): ChipRows {
  const chips: Chip[] = [];
  let x = 0;
  let row = 0;
  let width = 0;
  for (const [name, words] of marksOf(step)) {
    const text = fitText(words, chipFont, room - before - after);
    const own = Math.min(room, before + textWidth(text, chipFont) + after);
    if (x > 0 && x + own > room) {
      x = 0;
      row++;
    }
    chips.push({ icon: name, text, x, row, width: own });
    width = Math.max(width, x + own);
    x += own + chipGap;
  }
  return { chips, width, height: chips.length === 0 ? 0 : (row + 1) * (chipHeight + chipGap) + 4 };
}

function marksOf(step: GraphStep): [IconName, string][] {
  const marks: [IconName, string][] = [];
  if (step.approval !== undefined) marks.push(["approval", "approval"]);
  if (step.repeat !== undefined) marks.push(["repeat", `repeat \u2264 ${step.repeat.max}`]);
  if (step.retry !== undefined) marks.push(["retry", `retry ${step.retry}`]);
  if (step.cacheMs !== undefined) marks.push(["cache", `cache ${duration(step.cacheMs)}`]);
  if (step.compensate !== undefined) marks.push(["undo", escapeOneLine(step.compensate)]);
  return marks;
}

/** The chips as XML, their first row at the given position. */
function drawChips({ chips }: ChipRows, { x, y }: { x: number; y: number }): string {
  return chips
    .map((chip) => {
      const left = x + chip.x;
      const top = y + chip.row * (chipHeight + chipGap);
      const tone = chip.icon === "approval" ? "approval" : "";
      return [
        element("rect", {
          class: `chip ${tone}`.trim(),
          x: left,
          y: top,
          width: chip.width,
          height: chipHeight,
          rx: 9,
        }),
        icon(chip.icon, { x: left + 6, y: top + 3, tone }),
        renderText(chip.text, { x: left + before, y: top + 12.8, font: chipFont, tone: `muted ${tone}`.trim() }),
      ].join("");
    })
    .join("");
}

/** Line drawings on a field of 12 by 12. */
const paths = {
  condition: "M6 1.2 10.8 6 6 10.8 1.2 6Z",
  each: "M3.5 1.5h7v7M1.5 3.5h7v7h-7Z",
  repeat: "M9.9 4.2A4.3 4.3 0 1 0 10.3 6M10.3 1.6v2.8H7.5",
  retry: "M2.1 4.2A4.3 4.3 0 1 1 1.7 6M1.7 1.6v2.8h2.8",
  cache: "M6.8 1 2.5 7h3l-.6 4L9.5 5h-3Z",
  approval: "M6 5.2a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM2 10.8c0-2.2 1.8-3.6 4-3.6s4 1.4 4 3.6",
  undo: "M4 2 1.5 4.5 4 7M1.7 4.5h5.1a3 3 0 0 1 0 6H4",
  chain: "M4.2 3H1.6v2.6h2.6ZM10.4 3H7.8v2.6h2.6ZM7.3 8.2H4.7v2.6h2.6ZM4.2 4.3h3.6M2.9 5.6v3.9h1.8",
} as const;

/** The name of an icon. */
type IconName = keyof typeof paths;

/** An icon with its upper left corner at the given position. */
function icon(name: IconName, { x, y, tone = "" }: { x: number; y: number; tone?: string }): string {
  return element("path", {
    class: `icon ${tone}`.trim(),
    d: paths[name],
    transform: `translate(${short(x)} ${short(y)})`,
  });
}
