import type { Attributes } from "@opentelemetry/api";

/** What providers' names and addresses have in them, and what the conventions call those providers. */
const known: readonly (readonly [part: RegExp, name: string])[] = [
  [/azure/, "azure.ai.openai"],
  [/openai/, "openai"],
  [/anthropic/, "anthropic"],
  [/vertex|aiplatform/, "gcp.vertex_ai"],
  [/google|gemini/, "gcp.gemini"],
  [/bedrock/, "aws.bedrock"],
  [/mistral/, "mistral_ai"],
  [/deepseek/, "deepseek"],
  [/groq/, "groq"],
  [/(?:^|\.)x\.?ai\b/, "x_ai"],
  [/cohere/, "cohere"],
  [/perplexity/, "perplexity"],
  [/watsonx/, "ibm.watsonx.ai"],
];

/** How clients of the AI SDK end their names. What has more than one dot otherwise is an address. */
const service = /\.(?:chat|messages|responses|completion|generative-ai)$/;

/** Whose model it is, and where: a model of the settings has the address of its server as its provider. */
export function providerAttributes(provider: string): Attributes {
  const [, host = "", port] = /^(.*?)(?::(\d+))?$/.exec(provider) ?? [];
  const isAddress = port !== undefined || (host.split(".").length > 2 && !service.test(host));
  // Whoever answers at some other address speaks the protocol of OpenAI.
  const other = isAddress ? "openai" : host.split(".")[0] || "_OTHER";
  return {
    "gen_ai.provider.name": known.find(([part]) => part.test(host))?.[1] ?? other,
    ...(isAddress && { "server.address": host }),
    ...(port !== undefined && { "server.port": Number(port) }),
  };
}
