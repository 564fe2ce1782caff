/** Layout of a summary. */
export type SummaryStyle = "paragraph" | "bullet-points" | "structured" | "one-line";

/** Every {@link SummaryStyle}, with its description. */
export const summaryStyles: Readonly<Record<SummaryStyle, string>> = {
  paragraph: "one paragraph of running text",
  "bullet-points": "a list of points, one line each, beginning with -",
  structured: "short sections with Markdown headings and points",
  "one-line": "a single sentence",
};
