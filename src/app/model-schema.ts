import { modelClients } from "../model/index.ts";
import type { JsonSchema } from "../schema/index.ts";

const text = { type: "string", minLength: 1 };
const price = { type: "number", minimum: 0 };

/** One model of `models:` in a `windlass.yaml`. */
export const modelSchema: JsonSchema = {
  type: "object",
  additionalProperties: false,
  description: "A model: its server, its name there and its request options.",
  properties: {
    provider: { enum: modelClients, description: "Protocol of the server. Default: openai-compatible." },
    base_url: {
      ...text,
      description:
        "Base URL of the server, such as https://api.openai.com/v1. Default for anthropic and google: the provider's own.",
    },
    model: { ...text, description: "Name of the model on the server." },
    api_key: {
      ...text,
      description:
        'Name of a secret, or "${secret.NAME}"; never the key itself. Default: the environment variable of the service ' +
        "(such as OPENAI_API_KEY), only for that service.",
    },
    timeout: {
      type: "number",
      exclusiveMinimum: 0,
      maximum: 86_400,
      description: "Seconds until a response times out. Default: 300.",
    },
    max_tokens: { type: "integer", minimum: 1, description: "Maximum tokens of one response." },
    temperature: {
      type: "number",
      minimum: 0,
      maximum: 2,
      description: "Sampling temperature. Omitted for reasoning models that reject it.",
    },
    structured: {
      enum: ["json_schema", "json_object", "words"],
      description:
        "How JSON output is requested. Default: json_schema, with a fallback to simpler ways if the server rejects it.",
    },
    thinking: {
      title: "off, low, medium, high, or a number of tokens",
      anyOf: [{ enum: ["off", "low", "medium", "high"] }, { type: "boolean" }, { type: "integer", minimum: 1 }],
      description: "Reasoning effort: off, low, medium, high, or a number of tokens.",
    },
    images: {
      type: "boolean",
      description: "Whether the model takes images; images of tools are sent to it. Default: decided by its name.",
    },
    price: {
      type: "object",
      additionalProperties: false,
      required: ["input", "output"],
      properties: {
        input: { ...price, description: "Price of a million input tokens." },
        output: { ...price, description: "Price of a million output tokens, reasoning included." },
        cached: { ...price, description: "Price of a million cached input tokens. Default: the price of input." },
      },
      description: "Prices in any currency; used to report the cost of answers and to enforce cost budgets.",
    },
    fallback: {
      type: "array",
      items: text,
      description: "Names of other models, tried in this order if this one fails permanently or stays busy.",
    },
  },
};
