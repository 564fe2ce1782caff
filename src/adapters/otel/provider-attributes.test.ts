import { expect, test } from "vitest";
import { providerAttributes } from "./trace-engine.ts";

test.each([
  ["api.openai.com", { "gen_ai.provider.name": "openai", "server.address": "api.openai.com" }],
  ["api.anthropic.com", { "gen_ai.provider.name": "anthropic", "server.address": "api.anthropic.com" }],
  [
    "generativelanguage.googleapis.com",
    { "gen_ai.provider.name": "gcp.gemini", "server.address": "generativelanguage.googleapis.com" },
  ],
  ["api.deepseek.com", { "gen_ai.provider.name": "deepseek", "server.address": "api.deepseek.com" }],
  ["api.x.ai", { "gen_ai.provider.name": "x_ai", "server.address": "api.x.ai" }],
  // A server that uses OpenAI's protocol.
  ["127.0.0.1:11434", { "gen_ai.provider.name": "openai", "server.address": "127.0.0.1", "server.port": 11_434 }],
  ["[::1]:8080", { "gen_ai.provider.name": "openai", "server.address": "[::1]", "server.port": 8080 }],
  ["open.bigmodel.cn", { "gen_ai.provider.name": "openai", "server.address": "open.bigmodel.cn" }],
  // Models of the AI SDK.
  ["openai.responses", { "gen_ai.provider.name": "openai" }],
  ["anthropic.messages", { "gen_ai.provider.name": "anthropic" }],
  ["google.generative-ai", { "gen_ai.provider.name": "gcp.gemini" }],
  ["google.vertex.chat", { "gen_ai.provider.name": "gcp.vertex_ai" }],
  ["amazon-bedrock", { "gen_ai.provider.name": "aws.bedrock" }],
  ["mock-provider", { "gen_ai.provider.name": "mock-provider" }],
  ["", { "gen_ai.provider.name": "_OTHER" }],
])("%s", (provider, attributes) => {
  expect(providerAttributes(provider)).toEqual(attributes);
});
