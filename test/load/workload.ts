import { readFile } from "node:fs/promises";
import { join } from "node:path";

const toolIndex = new URL("../../src/tool/index.ts", import.meta.url).href;

/** A workspace whose tools write every effect to a file before they return. */
export const files: Readonly<Record<string, string>> = {
  "windlass.yaml": "",
  "tools/effects.ts": `import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { defineTool } from ${JSON.stringify(toolIndex)};
const input = { type: "object", properties: { id: { type: "string" }, ms: { type: "integer" } }, required: ["id"] };
const marking = (name, effect) => defineTool({
  name, description: "Writes its id to a file.", effect, input,
  run: async ({ id, ms = 0 }) => {
    await pause(ms / 2);
    appendFileSync("effects.txt", effect + " " + id + "\\n");
    await pause(ms / 2);
    return { id };
  },
});
export const pay = marking("pay", "once");
export const put = marking("put", "idempotent");
export const peek = defineTool({
  name: "peek", description: "Returns its id.", effect: "read", input,
  run: async ({ id, ms = 0 }) => (await pause(ms), { id }),
});
`,
  "chains/order.yaml": `name: order
input: { id: string, ms: "number = 20" }
steps:
  - { id: look, tool: peek, params: { id: "\${input.id}", ms: "\${input.ms}" } }
  - { id: pay, tool: pay, params: { id: "\${input.id}/pay", ms: "\${input.ms}" }, depends_on: [look] }
  - { id: put, tool: put, params: { id: "\${input.id}/put", ms: "\${input.ms}" }, depends_on: [look] }
  - { id: send, tool: pay, params: { id: "\${input.id}/send", ms: "\${input.ms}" }, depends_on: [pay, put] }
output: "\${steps.send.output.id}"
`,
  "chains/checked.yaml": `name: checked
input: { id: string }
steps:
  - { id: pay, tool: pay, params: { id: "\${input.id}/pay" }, approval: "Pay?" }
output: "\${steps.pay.output.id}"
`,
};

/** The ids of the effects of this kind so far, in their order. */
export async function effectsIn(dir: string, effect: "once" | "idempotent"): Promise<string[]> {
  const text = await readFile(join(dir, "effects.txt"), "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => (line.startsWith(`${effect} `) ? [line.slice(effect.length + 1)] : []));
}
