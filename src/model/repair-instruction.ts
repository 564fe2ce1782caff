/** Lists the problems of the model's JSON, one per line, and requests a corrected version. */
export function repairInstruction(issues: readonly string[]): string {
  return [
    "That answer cannot be used:",
    ...issues,
    "Send the whole JSON object again with these problems fixed, and nothing else.",
  ].join("\n");
}
