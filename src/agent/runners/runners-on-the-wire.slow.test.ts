import { describe, expect, test } from "vitest";
import { agentWorld } from "../../../test/support/agent-fixture.ts";
import { createHttpClient } from "../../net/index.ts";
import { openModel } from "../../model/index.ts";
import { modelServer } from "../../testing.ts";
import { createAgent } from "../create-agent.ts";

const files = {
  "quay/README.md": "# The quay\n\nOpens at six.",
  "mills.md": "# Tide mills\n\nA tide mill turns with the tide.",
};

const families = {
  openai: { name: "qwen3" },
  anthropic: { provider: "anthropic", name: "claude-sonnet-4-5" },
  gemini: { provider: "google", name: "gemini-2.5-pro" },
} as const;

const search = { thinking: "The notes may know.", toolCalls: [{ name: "localSearch", args: { query: "tide mills" } }] };
const answer = { thinking: "It says so.", text: "With the tide." };
const project = { folder: "quay", files: ["*.md"] };

describe.each(["openai", "anthropic", "gemini"] as const)("[E12] over the wire of %s", (family) => {
  test.each([
    ["planned", [search, answer], {}],
    ["vault", [{ ...answer, text: "With the tide [1]." }], {}],
    ["project", [search, answer], project],
    ["project", [search, answer], { ...project, mode: "autonomous" }],
  ] as const)("%s, streamed and not, sends nothing that the API rejects", async (runner, script, options) => {
    const { engine } = await agentWorld({ files });
    await using server = await modelServer([...script, ...script, ...script]);
    const http = createHttpClient({ allow: [server.host] });
    const model = openModel({ ...families[family], baseUrl: server.baseUrls[family], apiKey: "sk-test" }, { http });
    const agent = createAgent({ engine, model, runner, options });
    const prompt = "What turns tide mills?";
    const first = await agent.run(prompt);
    expect(first).toMatchObject({ status: "completed", answer: expect.stringMatching(/^With the tide/u) });
    // Once more with the history, streamed.
    const second = await agent.run(prompt, { history: first.messages, tainted: first.tainted, onEvent: () => {} });
    expect(second).toMatchObject({ status: "completed", answer: first.answer });
    const third = await agent.run(prompt, {
      history: second.messages,
      images: [{ mimeType: "image/png", data: "iVBORw0KGgo=" }],
    });
    expect(third).toMatchObject({ status: "completed" });
    server.assertComplete();
    await http.close();
  });
});
