/** Why a tool cannot be stopped half-way for a question, and what to do. */
export function cannotWait(tool: string, inner: string): string {
  return (
    `${tool} must not run twice (effect: once), so it cannot be stopped half-way to wait for a person, and made again. ` +
    `Make ${inner} a step of the chain, allow it by a rule and give the step an \`approval:\`, or declare ${tool} idempotent if it is`
  );
}
