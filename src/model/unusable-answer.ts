/** Tells a model what is wrong with its JSON, a line each, so that it sends it once more. */
export function unusableAnswer(issues: readonly string[]): string {
  return [
    "That answer cannot be used:",
    ...issues,
    "Send the whole JSON object again with this put right, and nothing else.",
  ].join("\n");
}
