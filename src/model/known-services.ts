import type { ModelClient } from "./port/model-family.ts";
import { modelTable } from "./port/model-table.ts";

/** A service with a standard environment variable for its key. */
interface KnownService {
  /** Set if its protocol is not OpenAI's; then its address need not be configured. */
  readonly provider?: Exclude<ModelClient, "openai-compatible">;
  readonly baseUrl: string;
  /** The variables that may hold its key. */
  readonly keys: readonly string[];
  /** Variable that redirects programs to another server, together with the key. */
  readonly elsewhere?: string;
  /** One of its models, as a starting point. */
  readonly model: string;
}

const anthropic = "https://api.anthropic.com/v1";
const google = "https://generativelanguage.googleapis.com/v1beta";

/** Base URLs of providers if the settings name none. */
export const defaultBaseUrls: Readonly<Partial<Record<ModelClient, string>>> = { anthropic, google };

const knownServices: readonly KnownService[] = [
  {
    provider: "anthropic",
    baseUrl: anthropic,
    keys: ["ANTHROPIC_API_KEY"],
    elsewhere: "ANTHROPIC_BASE_URL",
    model: "claude-sonnet-4-5",
  },
  { baseUrl: "https://api.openai.com/v1", keys: ["OPENAI_API_KEY"], elsewhere: "OPENAI_BASE_URL", model: "gpt-5-mini" },
  {
    provider: "google",
    baseUrl: google,
    keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    elsewhere: "GOOGLE_GEMINI_BASE_URL",
    model: "gemini-2.5-flash",
  },
  { baseUrl: "https://api.deepseek.com/v1", keys: ["DEEPSEEK_API_KEY"], model: "deepseek-chat" },
  { baseUrl: "https://api.z.ai/api/paas/v4", keys: ["ZAI_API_KEY"], model: "glm-4.6" },
  {
    baseUrl: "https://open.bigmodel.cn/api/paas/v4",
    keys: ["ZHIPUAI_API_KEY", "ZHIPU_API_KEY", "BIGMODEL_API_KEY"],
    model: "glm-4.6",
  },
  {
    baseUrl: "https://dashscope.aliyuncs.com/compatible-mode/v1",
    keys: ["DASHSCOPE_API_KEY"],
    model: "qwen-plus",
  },
  { baseUrl: "https://openrouter.ai/api/v1", keys: ["OPENROUTER_API_KEY"], model: "openai/gpt-5-mini" },
  { baseUrl: "https://api.mistral.ai/v1", keys: ["MISTRAL_API_KEY"], model: "mistral-medium-latest" },
  { baseUrl: "https://api.groq.com/openai/v1", keys: ["GROQ_API_KEY"], model: "openai/gpt-oss-120b" },
  { baseUrl: "https://api.x.ai/v1", keys: ["XAI_API_KEY"], model: "grok-4.3" },
  // Two services with the same variable: each has its own keys.
  { baseUrl: "https://api.moonshot.ai/v1", keys: ["MOONSHOT_API_KEY"], model: "kimi-k2.6" },
  { baseUrl: "https://api.moonshot.cn/v1", keys: ["MOONSHOT_API_KEY"], model: "kimi-k2.6" },
];

/** A service whose key is set. */
interface KeyedService extends KnownService {
  /** The variable that holds the key. */
  readonly variable: string;
  readonly apiKey: string;
}

/**
 * The services whose keys are set in an environment. A redirected service is left out: its key belongs to the other
 * server.
 */
export function keyedServices(env: Environment): KeyedService[] {
  return knownServices.flatMap((service): KeyedService[] => {
    if (hasBaseUrlOverride(service, env)) return [];
    const variable = service.keys.find((name) => valueOf(env, name) !== undefined);
    const apiKey = variable === undefined ? undefined : valueOf(env, variable);
    return variable === undefined || apiKey === undefined ? [] : [{ ...service, variable, apiKey }];
  });
}

/** True if the environment redirects programs that use this service to another server. */
export function hasBaseUrlOverride({ elsewhere, baseUrl }: KnownService, env: Environment): boolean {
  const other = elsewhere === undefined ? undefined : valueOf(env, elsewhere);
  return other !== undefined && !isSameOrigin(other, baseUrl);
}

/** The service at this address, with the key that the environment has for this service. */
export function keyedService(baseUrl: string | undefined, env: Environment): KeyedService | undefined {
  return keyedServices(env).find((service) => isSameOrigin(baseUrl, service.baseUrl));
}

/** Every key that an environment has for one of the services, regardless of where it is sent. */
export function serviceKeys(env: Environment): string[] {
  const names = new Set(knownServices.flatMap(({ keys }) => keys));
  return [...names].flatMap((name) => valueOf(env, name) ?? []);
}

/** The service at this address. */
export function knownService(baseUrl: string | undefined): KnownService | undefined {
  return knownServices.find((service) => isSameOrigin(baseUrl, service.baseUrl));
}

/** True if one of the known services is at this address. */
export function isKnownService(baseUrl: string | undefined): boolean {
  return knownService(baseUrl) !== undefined;
}

/** True if both addresses belong to the same server; false if one of them is not a URL. */
export function isSameOrigin(one: string | undefined, other: string | undefined): boolean {
  const [origin, others] = [one, other].map((url) => (url === undefined ? undefined : URL.parse(url)?.origin));
  // Every URL without a host has the origin "null".
  return origin !== undefined && origin !== "null" && origin === others;
}

/** The environment variables that name the default model. */
export const modelVariables: Readonly<Record<"baseUrl" | "name" | "apiKey" | "provider", string>> = {
  baseUrl: modelTable.base_url.variable,
  name: modelTable.model.variable,
  apiKey: modelTable.api_key.variable,
  provider: modelTable.provider.variable,
};

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Value of a variable; undefined if it is unset or blank. */
export function valueOf(env: Environment, variable: string): string | undefined {
  const value = Object.hasOwn(env, variable) ? env[variable]?.trim() : undefined;
  return value === "" ? undefined : value;
}
