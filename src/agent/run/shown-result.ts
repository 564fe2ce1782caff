import { type Redactor, redactFailure } from "../../text/index.ts";
import type { AgentFacts, AgentOutcome, AgentStep, AnswerSource } from "../agent-result.ts";
import type { Verification } from "../verify/verification.ts";

/** What of a result is made of texts. */
type Told = AgentOutcome & Pick<AgentFacts, "answer" | "sources" | "steps" | "notes">;

/** What a result tells, without secrets that are known: they are taken out of its texts, never of ids and names. */
export function shownResult(told: Told, redactor: Redactor): Told {
  if (!redactor.knowsAny()) return told;
  const text = redactor.knownText;
  const { answer, sources, steps, notes } = told;
  return {
    ...shownOutcome(told, redactor),
    answer: text(answer),
    ...(sources && { sources: sources.map((source) => shownSource(source, text)) }),
    ...(steps && { steps: steps.map((step) => shownStep(step, text)) }),
    notes: notes.map(text),
  };
}

function shownOutcome(outcome: AgentOutcome, redactor: Redactor): AgentOutcome {
  const text = redactor.knownText;
  const { status } = outcome;
  switch (status) {
    case "completed":
    case "running":
      return { status };
    case "waiting": {
      const approvals = outcome.approvals.map((asked) => ({ ...asked, args: redactor.known(asked.args) }));
      return { status, approvals };
    }
    case "failed":
    case "cancelled": {
      const { error, partial } = outcome;
      return { status, error: redactFailure(error, text), ...(partial !== undefined && { partial: text(partial) }) };
    }
  }
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
