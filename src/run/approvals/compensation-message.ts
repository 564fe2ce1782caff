/** Approval message for compensating a step, as opposed to running it. */
export function compensationMessage(step: string, message: string): string {
  return `Undo of step ${step}: ${message}`;
}
