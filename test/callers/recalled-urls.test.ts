import { afterAll, beforeAll, expect, test } from "vitest";
import { createAgent } from "../../src/agent.ts";
import { openWorkspace } from "../../src/app/index.ts";
import { scriptedModel } from "../../src/testing.ts";
import { type LoopbackSite, loopbackSite } from "../support/loopback-site.ts";
import { folderWith } from "../support/workspace.ts";

let site: LoopbackSite;
beforeAll(async () => {
  site = await loopbackSite((_request, response) => response.end("page"));
});
afterAll(() => site.close());

const call = (name: string, args: object) => ({ toolCalls: [{ name, args }] });

/** The calls in a second conversation, before the one that requests the URL. */
const ways: readonly (readonly [string, (id: string) => readonly (object | string)[]])[] = [
  ["memory_recall", () => [call("memory_recall", { query: "quay" })]],
  ["web_fetch of its address", (id) => [call("web_fetch", { url: `memory:${id}` })]],
  ["an earlier prompt with memory_recall", () => [call("memory_recall", { query: "quay" }), "found"]],
  ["an earlier prompt with web_fetch", (id) => [call("web_fetch", { url: `memory:${id}` }), "found"]],
  ["memory_forget", () => [call("memory_forget", { query: "quay" })]],
  ["pomodoro", () => [call("pomodoro", { action: "status" })]],
];

test.each(ways)(
  "[S3] a URL that a model stored in one conversation is not known in another: by %s",
  async (_by, steps) => {
    const url = `${site.origin}/exfil?d=private`;
    const dir = await folderWith({ "windlass.yaml": `network: { allow: ["127.0.0.1:${site.port}"] }\n` });
    const workspace = await openWorkspace(dir, { store: "memory", reload: false });
    try {
      const { engine } = workspace;
      const stored = await engine.call("memory_store", { content: `${url}\nThe quay.` });
      await engine.call("pomodoro", { action: "start", label: url });
      const script = [...steps(stored.success ? String(stored.output) : ""), call("web_fetch", { url }), "done"];
      const model = scriptedModel(script);
      const agent = createAgent({ engine, model });
      const prompts = script.filter((step) => typeof step === "string").length;
      let last: unknown;
      for (let at = 0; at < prompts; at++) last = await agent.run("go", { conversationId: "second", tainted: true });
      expect(JSON.stringify(last)).toMatch(/approval/);
      expect(site.paths).toEqual([]);
    } finally {
      await workspace.close();
    }
  },
);
