import { type Redactor, redactFailure } from "../../text/index.ts";
import type { AgentResult, AgentStep, AnswerSource } from "../agent-result.ts";
import type { Verification } from "../verify/verification.ts";

/** What is taken out of what the user and the model say: secrets that are known, or what looks like one as well. */
export type SaidRule = "known" | "all";

/** What of a result is made of texts. */
type Told = Pick<AgentResult, "answer" | "partial" | "error" | "approvals" | "sources" | "steps" | "notes">;

/** What a result tells, without secrets: they are taken out of its texts, never of ids and names. */
export function shownResult(told: Told, redactor: Redactor, rule: SaidRule = "known"): Told {
  if (rule === "known" && !redactor.knowsAny()) return told;
  const text = rule === "all" ? redactor.text : (said: string): string => String(redactor.known(said));
  const args = rule === "all" ? redactor.value : redactor.knownTexts;
  const { answer, partial, error, approvals, sources, steps, notes } = told;
  return {
    answer: text(answer),
    ...(partial !== undefined && { partial: text(partial) }),
    ...(error !== undefined && { error: redactFailure(error, text) }),
    ...(approvals && { approvals: approvals.map((asked) => ({ ...asked, args: args(asked.args) })) }),
    ...(sources && { sources: sources.map((source) => shownSource(source, text)) }),
    ...(steps && { steps: steps.map((step) => shownStep(step, text)) }),
    notes: notes.map(text),
  };
}

type Text = (said: string) => string;

function shownSource(source: AnswerSource, text: Text): AnswerSource {
  const { title, location, quote } = source;
  return {
    ...source,
    title: text(title),
    location: text(location),
    ...(quote !== undefined && { quote: text(quote) }),
  };
}

function shownStep(step: AgentStep, text: Text): AgentStep {
  const { description, text: said, verification, error } = step;
  return {
    ...step,
    description: text(description),
    ...(said !== undefined && { text: text(said) }),
    ...(verification && { verification: shownVerification(verification, text) }),
    ...(error && { error: redactFailure(error, text) }),
  };
}

function shownVerification(verification: Verification, text: Text): Verification {
  const issues = verification.issues.map((issue) => ({
    ...issue,
    message: text(issue.message),
    quote: text(issue.quote),
  }));
  return { ...verification, issues };
}
