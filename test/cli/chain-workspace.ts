import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { codeTool } from "./windlass.ts";

/** Tools with a trace: `effects.log` has a line for every run of a handler. */
export const tracingTools: Readonly<Record<string, string>> = {
  ...codeTool(
    "read",
    `import { appendFileSync } from "node:fs";
export default async (args: { ms?: number; text?: string; number?: number; data?: object }, ctx: { signal: AbortSignal; progress(value: unknown): void }) => {
  appendFileSync("effects.log", "read " + JSON.stringify(args) + "\\n");
  ctx.progress("reading");
  await new Promise<void>((done, failed) => {
    const timer = setTimeout(done, args.ms ?? 1);
    ctx.signal.addEventListener("abort", () => { clearTimeout(timer); failed(new Error("stopped")); });
  });
  return { value: args.data ?? args.number ?? args.text ?? "something" };
};`,
    "effect: read\nparameters: [{ name: ms, type: integer }, { name: text, type: string }, { name: number, type: number }, { name: data, type: object }]",
  ),
  ...codeTool(
    "send",
    `import { appendFileSync } from "node:fs";
export default (args: object) => {
  appendFileSync("effects.log", "send " + JSON.stringify(args) + "\\n");
  return { sent: true };
};`,
    "effect: once\nparameters: [{ name: to, type: string, required: true }, { name: body, type: string }]",
  ),
  ...codeTool("fails", `export default () => { throw new Error("out of order"); };`, "effect: read"),
};

/** Effects of the handlers so far, one per line. */
export async function effects(cwd: string): Promise<string[]> {
  const text = await readFile(join(cwd, "effects.log"), "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

/** A chain that needs approval before it sends. */
export const mailChain = `name: mail
description: Sends a mail that somebody has approved
input: { to: string, body: string="hello" }
steps:
  - id: prepare
    tool: read
    params: { text: "\${input.body}" }
  - id: send
    tool: send
    approval: "Send this to \${input.to}?"
    params: { to: "\${input.to}", body: "\${steps.prepare.output.value}" }
output: { sent: "\${steps.send.output.sent}" }
`;
