import type { FileOf } from "../../schema/index.ts";

/** Settings of one model of `models:` in `windlass.yaml`. */
export const modelTable = {
  provider: {
    type: "text",
    choices: ["openai-compatible", "anthropic", "google"],
    default: "openai-compatible",
    variable: "WINDLASS_MODEL_PROVIDER",
    about: "Protocol of the server.",
  },
  base_url: {
    type: "text",
    defaultText: "for anthropic and google, the provider's own",
    variable: "WINDLASS_MODEL_BASE_URL",
    about: "Base URL of the server, such as https://api.openai.com/v1.",
  },
  model: { type: "text", variable: "WINDLASS_MODEL", about: "Name of the model on the server." },
  api_key: {
    type: "text",
    format: "secret",
    defaultText: "the environment variable of the service (such as OPENAI_API_KEY), only for that service",
    variable: "WINDLASS_MODEL_API_KEY",
    about: 'Name of a secret, or "${secret.NAME}"; never the key itself.',
  },
  timeout: { type: "number", above: 0, max: 86_400, default: 300, about: "Seconds until a response times out." },
  max_tokens: { type: "count", about: "Maximum tokens of one response." },
  temperature: {
    type: "number",
    min: 0,
    max: 2,
    about: "Sampling temperature. Omitted for reasoning models that reject it.",
  },
  structured: {
    type: "text",
    choices: ["json_schema", "json_object", "words"],
    defaultText: "json_schema, with a fallback to simpler ways if the server rejects it",
    about: "How JSON output is requested.",
  },
  thinking: {
    type: "forms",
    title: "off, low, medium, high, or a number of tokens",
    forms: [{ type: "text", choices: ["off", "low", "medium", "high"] }, { type: "flag" }, { type: "count" }],
    about: "Reasoning effort: off, low, medium, high, or a number of tokens.",
  },
  images: {
    type: "flag",
    defaultText: "decided by its name",
    about: "Whether the model takes images; images of tools are sent to it.",
  },
  price: {
    type: "section",
    about: "Prices in any currency; used to report the cost of answers and to enforce cost budgets.",
    settings: {
      input: { type: "number", min: 0, required: true, about: "Price of a million input tokens." },
      output: {
        type: "number",
        min: 0,
        required: true,
        about: "Price of a million output tokens, reasoning included.",
      },
      cached: {
        type: "number",
        min: 0,
        defaultText: "the price of input",
        about: "Price of a million cached input tokens.",
      },
    },
  },
  fallback: {
    type: "list",
    about: "Names of other models, tried in this order if this one fails permanently or stays busy.",
  },
} as const;

/** One model of `models:` in a `windlass.yaml`. */
export interface ModelSettingsFile extends FileOf<typeof modelTable> {}

/** `models:` of a `windlass.yaml`, by name. */
export type ModelsSettingsFile = Readonly<Record<string, ModelSettingsFile>>;
