import { element, short } from "./render-xml.ts";

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
export type IconName = keyof typeof paths;

/** An icon with its upper left corner at the given position. */
export function icon(name: IconName, { x, y, tone = "" }: { x: number; y: number; tone?: string }): string {
  return element("path", {
    class: `icon ${tone}`.trim(),
    d: paths[name],
    transform: `translate(${short(x)} ${short(y)})`,
  });
}
