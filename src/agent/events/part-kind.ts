/** What a part of a run is for: the answer, or something on the way to it. */
export type PartKind = "answer" | "summary" | "plan" | "check" | "step";

const kinds: readonly (readonly [part: RegExp, kind: PartKind])[] = [
  [/\.summary$/, "summary"],
  [/^plan/, "plan"],
  [/^(?:verify|check)/, "check"],
  [/^(?:step|prepare|chain|crew)/, "step"],
];

/** What a part is for, by the name that its runner gives it. */
export function partKind(part: string): PartKind {
  return kinds.find(([pattern]) => pattern.test(part))?.[1] ?? "answer";
}

/** Is what the model says in this part the answer, and not something on the way to it? */
export function isAnswerPart(part: string): boolean {
  return partKind(part) === "answer";
}
