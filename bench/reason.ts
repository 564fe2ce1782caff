import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Why something could not be measured, in one line and without the place where the project lies. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const telling = message.split("\n").find((line) => /Error/.test(line)) ?? message.split("\n", 1).join("");
  return telling.trim().replaceAll(root, "").slice(0, 300);
}
