import type { OpenQuestion, StepState } from "./step-state.ts";

/** Keeps an open question with its step; asked once more, it has another id. */
export function noteQuestion(state: StepState, question: OpenQuestion): void {
  dropQuestion(state, question.key);
  state.approvalId = question.approvalId;
  state.questions = [...(state.questions ?? []), question];
}

/** It is answered, or nobody needs an answer any more. */
export function dropQuestion(state: StepState, key: string): void {
  if (state.questions === undefined) return;
  const left = state.questions.filter((question) => question.key !== key);
  state.questions = left.length === 0 ? undefined : left;
}
