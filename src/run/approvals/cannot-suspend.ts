/** Returns why a tool cannot be suspended for an approval, and how to fix that. */
export function cannotSuspendReason(tool: string, inner: string): string {
  return (
    `${tool} must not run twice (effect: once), so it cannot be suspended for an approval and re-executed. ` +
    `Make ${inner} a step of the chain, allow it with a permission rule and give the step an \`approval:\`, or declare ${tool} idempotent if it is`
  );
}
