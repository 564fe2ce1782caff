import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Returns the reason why a contender could not be measured, on one line and without the path of the project. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const reporting = message.split("\n").find((line) => /Error/.test(line)) ?? message.split("\n", 1).join("");
  return reporting.trim().replaceAll(root, "").slice(0, 300);
}
