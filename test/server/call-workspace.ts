import { readFile, writeFile } from "node:fs/promises";
import { vi } from "vitest";
import { type Received, type ServedWorkspace, adminToken } from "./serve-workspace.ts";

const toolIndex = new URL("../../src/tool/index.ts", import.meta.url).href;

/** Tools that record their calls in the folder. */
export const files: Readonly<Record<string, string>> = {
  "windlass.yaml": "permissions: { ask: [careful] }\n",
  "tools/tools.ts": `import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { defineTool } from ${JSON.stringify(toolIndex)};
const dir = join(import.meta.dirname, "..");
const input = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const noted = ({ text }) => { appendFileSync(join(dir, "notes.txt"), text + "\\n"); return { text }; };
export const note = defineTool({ name: "note", description: "Notes the text.", effect: "once", input, run: noted });
export const careful = defineTool({ name: "careful", description: "Notes the text.", effect: "once", input, run: noted });
export const hold = defineTool({
  name: "hold", description: "Waits until the file exists.", effect: "idempotent", input, timeoutMs: 60000,
  run: async ({ text }, { signal }) => {
    appendFileSync(join(dir, "notes.txt"), "hold\\n");
    while (!existsSync(join(dir, text))) { signal.throwIfAborted(); await new Promise((next) => setTimeout(next, 5)); }
    return { text };
  },
});
export const rough = defineTool({
  name: "rough", description: "Notes the text and waits until the file exists.", effect: "once", input, timeoutMs: 60000,
  run: async ({ text }, { signal }) => {
    noted({ text });
    while (!existsSync(join(dir, text))) { signal.throwIfAborted(); await new Promise((next) => setTimeout(next, 5)); }
    return { text };
  },
});
export const broken = defineTool({
  name: "broken", description: "Fails.", effect: "once", input,
  run: ({ text }) => { noted({ text }); throw new Error("the port " + text + " is closed"); },
});
`,
  "chains/paid.yaml": `name: paid
steps:
  - { id: paid, wait: { event: payment } }
  - { id: note, tool: note, params: { text: "\${steps.paid.output}" } }
`,
  "chains/notes.yaml": `name: notes
input: { a: "string = 'one'" }
steps:
  - { id: first, tool: note, params: { text: "\${input.a}" } }
output: { noted: "\${steps.first.output.text}" }
`,
};

/** The texts that its tools have noted, in their order. */
export async function notesIn({ dir }: { readonly dir: string }): Promise<readonly string[]> {
  const text = await readFile(`${dir}/notes.txt`, "utf8").catch(() => "");
  return text.split("\n").slice(0, -1);
}

/** The body of a response about a call. */
export interface CallBody {
  readonly run_id: string;
  readonly status: string;
  readonly approval_id?: string;
}

/** Lets the tools `hold` and `rough` end. */
export const release = ({ dir }: { readonly dir: string }, text: string): Promise<void> =>
  writeFile(`${dir}/${text}`, "");

/** The headers of a request. */
export interface Sent {
  readonly key?: string;
  readonly prefer?: string;
  readonly token?: string;
}

/** Sends a request that starts work. */
export const post = (
  { send }: Pick<ServedWorkspace, "send">,
  path: string,
  body: object,
  { key, prefer, token = adminToken }: Sent = {},
): Promise<Received> =>
  send("POST", path, {
    body,
    token,
    headers: { ...(key !== undefined && { "idempotency-key": key }), ...(prefer !== undefined && { prefer }) },
  });

/** Calls a tool. */
export const call = (
  served: Pick<ServedWorkspace, "send">,
  tool: string,
  text: string,
  sent?: Sent,
): Promise<Received> => post(served, `/v1/tools/${tool}/call`, { args: { text } }, sent);

/** The status, the code and the reason of a response. */
export const answerOf = ({ status, body }: Received): unknown => {
  const { code, reason } = body as { readonly code?: string; readonly reason?: string };
  return [status, code, reason].filter((part) => part !== undefined).join(" ");
};

/** Waits until the assertions hold, also on a busy machine. */
export const eventually = <T>(assertions: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(assertions, { timeout: 30_000, interval: 20 });
