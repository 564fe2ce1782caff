/** What a question says that is about undoing a step, not about the step. */
export function undoMessage(step: string, message: string): string {
  return `Undo of step ${step}: ${message}`;
}
