import type { ApprovalRequest } from "../../store/index.ts";

/** Removes the attempt from a key: another attempt with the same arguments shares the approval. */
export const baseOf = (key: string): string => key.slice(0, key.lastIndexOf("#"));

/** Returns the step that a key without its attempt belongs to, and the approval message for that step. */
export function aboutStep(base: string, message: string): Pick<ApprovalRequest, "message"> & { readonly step: string } {
  const step = base.replaceAll(/[#~!]\d+|\^$/g, "");
  return { step, message: base.endsWith("^") ? compensationMessage(step, message) : message };
}

/** Approval message for compensating a step, as opposed to running it. */
export function compensationMessage(step: string, message: string): string {
  return `Undo of step ${step}: ${message}`;
}
