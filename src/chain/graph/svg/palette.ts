import type { GraphEffect } from "../graph.ts";

/** Colors of a picture; `auto` follows the preference of the reader's system. */
export type Theme = "light" | "dark" | "auto";

interface Palette {
  readonly ground: string;
  readonly card: string;
  readonly strip: string;
  readonly chip: string;
  readonly border: string;
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly approval: string;
  readonly approvalText: string;
  readonly effects: Readonly<Record<GraphEffect, string>>;
}

const light: Palette = {
  ground: "#ffffff",
  card: "#ffffff",
  strip: "#f3f5f8",
  chip: "#eceff3",
  border: "#cdd4dc",
  text: "#1c2128",
  muted: "#57606a",
  line: "#8a94a0",
  approval: "#fff1cc",
  approvalText: "#7a5200",
  effects: { pure: "#8250df", read: "#0969da", idempotent: "#1a7f37", once: "#c4480a", varies: "#6e7781" },
};

const dark: Palette = {
  ground: "#0e1116",
  card: "#171b22",
  strip: "#1f252e",
  chip: "#28303a",
  border: "#3a434e",
  text: "#eef2f7",
  muted: "#9aa4b0",
  line: "#6f7a87",
  approval: "#43340b",
  approvalText: "#f2cc60",
  effects: { pure: "#b18cff", read: "#58a6ff", idempotent: "#4cc263", once: "#ff8f4d", varies: "#9aa4b0" },
};

const sans = `system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif`;
const mono = `ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Noto Sans Mono CJK SC",monospace`;

/**
 * The style sheet of a picture. Every rule names the class of the root, which names the theme: pictures of different
 * themes can stand in one page. No variables: many programs that show SVG do not know them.
 */
export function styleSheet(theme: Theme): string {
  const root = rootClass(theme);
  const shape = [
    `.${root} text{font-family:${sans};white-space:pre}`,
    `.${root} .mono{font-family:${mono}}`,
    `.${root} .bold{font-weight:700}`,
    `.${root} .line,.${root} .icon{fill:none;stroke-linecap:round;stroke-linejoin:round}`,
    `.${root} .condition{stroke-dasharray:5 5}`,
    `.${root} .order{stroke-dasharray:.1 5}`,
    `.${root} .fallback{stroke-dasharray:4 3}`,
  ].join("");
  const colours = colourRules(root, theme === "dark" ? dark : light);
  const night = theme === "auto" ? `@media (prefers-color-scheme:dark){${colourRules(root, dark)}}` : "";
  return shape + colours + night;
}

/** The class of the root element. */
export function rootClass(theme: Theme): string {
  return `windlass-${theme}`;
}

function colourRules(root: string, palette: Palette): string {
  const rule = (selector: string, body: string): string => `.${root} ${selector}{${body}}`;
  const effects = Object.entries(palette.effects).map(
    ([effect, colour]) => rule(`.bar.${effect}`, `fill:${colour}`) + rule(`.word.${effect}`, `fill:${colour}`),
  );
  return [
    rule(".ground", `fill:${palette.ground}`),
    rule(".card", `fill:${palette.card}`),
    rule(".strip", `fill:${palette.strip}`),
    rule(".chip", `fill:${palette.chip}`),
    rule(".edge", `fill:none;stroke:${palette.border}`),
    rule(".rule", `stroke:${palette.border}`),
    rule(".text", `fill:${palette.text}`),
    rule(".muted", `fill:${palette.muted}`),
    rule(".line", `stroke:${palette.line};stroke-width:1.5`),
    rule(".head", `fill:${palette.line}`),
    rule(".icon", `stroke:${palette.muted};stroke-width:1.3`),
    rule(".chip.approval", `fill:${palette.approval}`),
    rule(".muted.approval", `fill:${palette.approvalText}`),
    rule(".icon.approval", `stroke:${palette.approvalText}`),
    ...effects,
  ].join("");
}
