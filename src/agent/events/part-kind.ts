/** Purpose of a part of a run: the answer, or an intermediate result. */
export type PartKind = "answer" | "summary" | "plan" | "check" | "step";

const kinds: readonly (readonly [part: RegExp, kind: PartKind])[] = [
  [/\.summary$/, "summary"],
  [/^plan/, "plan"],
  [/^(?:verify|check)/, "check"],
  [/^(?:step|prepare|chain|crew)/, "step"],
];

/** Purpose of a part, derived from the name that its runner gives it. */
export function partKind(part: string): PartKind {
  return kinds.find(([pattern]) => pattern.test(part))?.[1] ?? "answer";
}

/** True if the model's text in this part is the answer, and not an intermediate result. */
export function isAnswerPart(part: string): boolean {
  return partKind(part) === "answer";
}
