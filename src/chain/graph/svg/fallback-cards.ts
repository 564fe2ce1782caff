import { describeFallback, furtherCondition } from "../describe-step.ts";
import type { GraphFallback, GraphStep } from "../graph.ts";
import { arrowRight } from "./line-paths.ts";
import { type Font, fitText, textWidth } from "./text-width.ts";
import { renderText } from "./render-text.ts";
import { element, escapeXml, escapeOneLine, prose } from "./render-xml.ts";

const toolFont: Font = { size: 11.5, face: "mono" };
const whenFont: Font = { size: 10.5, face: "sans" };
const cardHeight = 42;
const cardGap = 8;
/** Width of the arrow between a step and its fallbacks. */
const reach = 34;
const pad = 12;
const widest = 190;
/** More fallbacks than this are counted, not drawn. */
const maxCount = 4;

interface FallbackCard {
  readonly tool: string;
  readonly when: string;
  readonly tip: string;
}

/** The fallbacks of a step beside its card. */
export interface FallbackCards {
  readonly cards: readonly FallbackCard[];
  /** Including the arrow. */
  readonly width: number;
  readonly height: number;
  readonly cardWidth: number;
  /** Start of the arrow, below the upper edge of the step's card. */
  readonly middle: number;
  /** Start of the first card, below the upper edge of the step's card. */
  readonly top: number;
}

/** Measures the fallbacks of a step whose card has the given height. */
export function measureFallbacks(step: GraphStep, height: number): FallbackCards {
  const cards = step.fallbacks.slice(0, maxCount).map((fallback) => cardOf(step, fallback));
  const more = step.fallbacks.length - maxCount;
  if (more > 0) cards.push({ tool: `and ${more} more`, when: "", tip: "" });
  const room = widest - 2 * pad;
  const widths = cards.flatMap(({ tool, when }) => [textWidth(tool, toolFont), textWidth(when, whenFont)]);
  const cardWidth = Math.ceil(Math.min(room, Math.max(0, ...widths)) + 2 * pad);
  const total = cards.length * (cardHeight + cardGap) - cardGap;
  const top = Math.max(0, (height - total) / 2);
  const none = cards.length === 0;
  return {
    cards,
    width: none ? 0 : reach + cardWidth,
    height: none ? 0 : top + total,
    cardWidth,
    middle: height / 2,
    top,
  };
}

function cardOf(step: GraphStep, fallback: GraphFallback): FallbackCard {
  const condition = furtherCondition(step, fallback);
  const when = condition === undefined ? "if it fails" : `if ${escapeOneLine(condition)}`;
  return { tool: escapeOneLine(fallback.tool), when, tip: describeFallback(fallback) };
}

/** The fallbacks as XML, for a step whose card ends at `x` and begins at `y`. */
export function drawFallbacks(group: FallbackCards, { x, y }: { x: number; y: number }): string {
  const room = group.cardWidth - 2 * pad;
  return group.cards
    .map((card, at) => {
      const left = x + reach;
      const top = y + group.top + at * (cardHeight + cardGap);
      const box = { x: left, y: top, width: group.cardWidth, height: cardHeight, rx: 8 };
      const parts = [
        card.tip === "" ? "" : element("title", {}, escapeXml(prose(card.tip))),
        arrowRight({ x, y: y + group.middle }, { x: left, y: top + cardHeight / 2 }),
        element("rect", { class: "card", ...box }),
        element("rect", { class: "edge fallback", ...box }),
        renderText(fitText(card.when, whenFont, room), { x: left + pad, y: top + 17, font: whenFont, tone: "muted" }),
        renderText(fitText(card.tool, toolFont, room), { x: left + pad, y: top + 32, font: toolFont, tone: "text" }),
      ];
      return element("g", {}, parts.join(""));
    })
    .join("");
}
