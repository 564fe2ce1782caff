/** Returns the value of a property, in lower case; empty if the style does not set it. */
export type StyleOf = (property: string) => string;

/** True if a style makes text invisible. Judges only the style itself, not the surroundings of the element. */
export function isVisuallyHidden(style: StyleOf): boolean {
  return ways.some((hides) => hides(style));
}

/** The properties that {@link isVisuallyHidden} reads. */
export const visibilityProperties: ReadonlySet<string> = new Set(
  (
    "animation animation-name background background-clip background-color bottom clip clip-path color " +
    "content-visibility display filter font font-size height inset left margin-left margin-top max-height max-width " +
    "opacity overflow overflow-x overflow-y padding padding-bottom padding-top right scale text-indent top transform " +
    "transition -webkit-background-clip -webkit-clip-path -webkit-text-fill-color visibility width"
  ).split(" "),
);

const ways: readonly ((style: StyleOf) => boolean)[] = [
  (style) => style("display") === "none" || style("content-visibility") === "hidden",
  (style) => /^(?:hidden|collapse)$/.test(style("visibility")),
  isFaint,
  (style) => sizeIn(style("font-size")) < 2 || sizeIn(/(?:^| )([\d.]+[a-z%]*)(?:\/| )/.exec(style("font"))?.[1]) < 2,
  isColourless,
  hasNoArea,
  isClipped,
  isShrunk,
  isElsewhere,
];

/** Content that the page fades in counts as visible. */
function isFaint(style: StyleOf): boolean {
  if (["transition", "animation", "animation-name"].some((property) => style(property) !== "")) return false;
  const opacity = style("opacity") || /opacity\(([^)]*)\)/.exec(style("filter"))?.[1];
  return amountIn(opacity) <= 0.05;
}

/**
 * True if the text is transparent, or has the color of its own background. An image that shows through the letters is
 * visible.
 */
function isColourless(style: StyleOf): boolean {
  if ([style("background-clip"), style("-webkit-background-clip")].includes("text")) return false;
  const colour = plainColour(style("-webkit-text-fill-color") || style("color"));
  if (colour === "") return false;
  return colour === "transparent" || colour === plainColour(style("background-color") || style("background"));
}

/** True for a box that is too small for any text, and clips it. */
function hasNoArea(style: StyleOf): boolean {
  if (sizeIn(style("max-height")) <= 0 || sizeIn(style("max-width")) <= 0) return true;
  const [width, height] = [sizeIn(style("width")), sizeIn(style("height"))];
  if (width <= 0 && height <= 0) return true;
  const closed = ["overflow", "overflow-x", "overflow-y"].some((property) =>
    /\b(?:hidden|clip)\b/.test(style(property)),
  );
  const padded = ["padding", "padding-top", "padding-bottom"].some((property) => /[1-9]\d/.test(style(property)));
  return closed && !padded && (width <= 1 || height <= 1);
}

/** True if it is clipped to a shape without an area. */
function isClipped(style: StyleOf): boolean {
  const path = style("clip-path") || style("-webkit-clip-path");
  const corners = /^polygon\((.*)\)$/.exec(path)?.[1]?.split(",");
  if (corners !== undefined) return new Set(corners.map((corner) => corner.trim())).size < 3;
  const isPoint = /^(?:circle|ellipse)\(\s*0(?:\.0+)?(?:px|%)?[\s)]/.test(path);
  return isPoint || isInset(path) || isNoRectangle(style("clip"));
}

function isInset(path: string): boolean {
  const [top = 0, right = top, bottom = top, left = right] = numbersIn(/^inset\(([^)]*%[^)]*)\)$/.exec(path)?.[1]);
  return top + bottom >= 100 || right + left >= 100;
}

function isNoRectangle(clip: string): boolean {
  const [top, right, bottom, left] = numbersIn(/^rect\((.*)\)$/.exec(clip)?.[1]);
  if (top === undefined || right === undefined || bottom === undefined || left === undefined) return false;
  return bottom - top <= 1 || right - left <= 1;
}

function isShrunk(style: StyleOf): boolean {
  const scale = amountIn(style("scale").split(" ", 1)[0]);
  const sizes = [...style("transform").matchAll(/(?:scale(?:x|y|3d)?|matrix(?:3d)?)\(\s*([^,)]*)/g)];
  return scale <= 0.05 || sizes.some(([, size]) => Math.abs(amountIn(size)) <= 0.05);
}

/** Moved off the screen. */
function isElsewhere(style: StyleOf): boolean {
  const moved = ["left", "top", "right", "bottom", "inset", "margin-left", "margin-top", "text-indent"];
  if (moved.some((property) => sizeIn(style(property).split(" ", 1)[0]) <= -900)) return true;
  const indent = style("text-indent").endsWith("%")
    ? amountIn(style("text-indent")) * 1000
    : sizeIn(style("text-indent"));
  if (indent >= 900 && /\b(?:hidden|clip)\b/.test(style("overflow"))) return true;
  return [...style("transform").matchAll(/translate(?:x|y|3d)?\(([^)]*)\)/g)].some(([, by = ""]) =>
    by.split(",").some((length) => sizeIn(length.trim()) <= -900),
  );
}

/** Approximate size of each unit in pixels. */
const unitPixels: Readonly<Record<string, number>> = {
  "": 1,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  em: 16,
  rem: 16,
  ex: 8,
  ch: 8,
  "%": 10,
  vw: 10,
  vh: 10,
  cm: 38,
  mm: 4,
  in: 96,
};

/** Returns a length in pixels, approximately; NaN if it is not a length. */
function sizeIn(length: string | undefined): number {
  const [, number, unit = ""] = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z%]*)$/.exec(length ?? "") ?? [];
  return number === undefined ? Number.NaN : Number(number) * (unitPixels[unit] ?? Number.NaN);
}

/** Parses a fraction, written as a number or as a percentage. */
function amountIn(text: string | undefined): number {
  const [, number, unit] = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(%?)\s*$/.exec(text ?? "") ?? [];
  return number === undefined ? Number.NaN : Number(number) / (unit === "%" ? 100 : 1);
}

function numbersIn(text: string | undefined): number[] {
  return text === undefined ? [] : text.split(/[\s,]+/).map((part) => Number.parseFloat(part));
}

const colourNames: Readonly<Record<string, string>> = { white: "#ffffff", black: "#000000" };

/** Normalizes a color; `transparent` if it is fully transparent. */
function plainColour(text: string): string {
  const named = colourNames[text] ?? text;
  const hex = named.replace(/^#([\da-f])([\da-f])([\da-f])([\da-f]?)$/, "#$1$1$2$2$3$3$4$4");
  if (/^#[\da-f]{6}00$/.test(hex)) return "transparent";
  const parts = /^(?:rgb|hsl)a?\(([^)]*)\)$/
    .exec(hex)?.[1]
    ?.split(/[\s,/]+/)
    .filter((part) => part !== "");
  if (parts === undefined) return hex;
  const [red = 0, green = 0, blue = 0] = parts.map((part) => Number.parseFloat(part));
  if (amountIn(parts[3]) <= 0.05) return "transparent";
  return named.startsWith("rgb")
    ? `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`
    : hex;
}
