import { modelClients } from "../model/index.ts";
import type { JsonSchema } from "../schema/index.ts";

const text = { type: "string", minLength: 1 };
const price = { type: "number", minimum: 0 };

/** One model of `models:` in a `windlass.yaml`. */
export const modelSchema: JsonSchema = {
  type: "object",
  additionalProperties: false,
  description: "One model: where it is, what it is called there, and how it is asked.",
  properties: {
    provider: { enum: modelClients, description: "The protocol of its server; openai-compatible where absent." },
    base_url: {
      ...text,
      description:
        "Where the server is, such as https://api.openai.com/v1; the provider's own for anthropic and google.",
    },
    model: { ...text, description: "The model's name there." },
    api_key: {
      ...text,
      description:
        'A secret: "${secret.NAME}", or its name alone; never its value. Where absent, the usual variable of the service ' +
        "(such as OPENAI_API_KEY), for that service alone.",
    },
    timeout: { type: "number", exclusiveMinimum: 0, description: "Seconds for one answer; 300 where absent." },
    max_tokens: { type: "integer", minimum: 1, description: "The most tokens of one answer." },
    temperature: {
      type: "number",
      minimum: 0,
      maximum: 2,
      description: "Left out where a model that thinks refuses it.",
    },
    structured: {
      enum: ["json_schema", "json_object", "words"],
      description: "How JSON is asked for; json_schema where absent, and more simply where the server refuses it.",
    },
    thinking: {
      title: "off, low, medium, high, or a number of tokens",
      anyOf: [{ enum: ["off", "low", "medium", "high"] }, { type: "boolean" }, { type: "integer", minimum: 1 }],
      description: "How much it thinks before it answers: off, low, medium, high, or a number of tokens.",
    },
    price: {
      type: "object",
      additionalProperties: false,
      required: ["input", "output"],
      properties: {
        input: { ...price, description: "For a million tokens that it reads." },
        output: { ...price, description: "For a million tokens that it writes, its thinking included." },
        cached: { ...price, description: "For a million tokens that it had read before; as input where absent." },
      },
      description: "What it costs, in any currency, so that answers say what they cost and a cost budget can hold.",
    },
    fallback: {
      type: "array",
      items: text,
      description: "Names of other models, asked in this order where this one fails for good or stays busy.",
    },
  },
};
