import { defaultModel, unknownModel } from "../model/index.ts";
import { type FileReport, isMap } from "../schema/index.ts";
import { modelSchema } from "./model-schema.ts";

type Models = Readonly<Record<string, unknown>>;

/** Is this a part of a model, and not the name of one? */
function isPart(key: string): boolean {
  return Object.hasOwn(modelSchema["properties"] ?? {}, key);
}

/** How what stands under `model:` is written, beside what stands under `models:`. */
export function modelHint(model: unknown, models: unknown): string {
  // The name of a model of one's own is for the agent.
  if (typeof model === "string" && isMap(models) && Object.hasOwn(models, model)) {
    return `write agent: { model: ${model} }`;
  }
  const entries = isMap(model) ? Object.entries(model) : [];
  const isNamed = entries.length > 0 && entries.every(([key, part]) => isMap(part) && !isPart(key));
  if (isNamed && models !== undefined) return `write ${entries.map(([key]) => key).join(", ")} under models:`;
  if (isNamed) return "write models: in its place";
  // What was called a name once is the model's own.
  const parts = entries.map(([key]) => (key === "name" ? "model" : key)).filter(isPart);
  return `write models: { ${defaultModel}: { ${parts.map((key) => `${key}: …`).join(", ") || "base_url: …, model: …"} } }`;
}

/** The file without models that are written without a name, which is told, once. */
export function withoutNamelessModel(file: unknown, report: FileReport): unknown {
  if (!isMap(file) || !isMap(file["models"])) return file;
  const { models } = file;
  const parts = Object.keys(models).filter(isPart);
  const first = parts.find((key) => !isMap(models[key]));
  if (first === undefined) return file;
  const hint = `write models: { ${defaultModel}: { ${parts.map((key) => `${key}: …`).join(", ")} } }`;
  const message = `\`models\` has a name for each model, and "${first}" is a part of one`;
  report.add("unknown_key", ["models", first], [message, { part: "key", hint }]);
  return { ...file, models: Object.fromEntries(Object.entries(models).filter(([key]) => !isPart(key))) };
}

/** Where a service is whose name is often written in place of a protocol. */
const addresses: Readonly<Record<string, string>> = {
  ollama: "http://127.0.0.1:11434/v1",
  openai: "https://api.openai.com/v1",
};

/** The file without models that are a name alone, and without services in place of protocols; each is told. */
export function withoutBareModels(file: unknown, report: FileReport): unknown {
  if (!isMap(file) || !isMap(file["models"])) return file;
  const models = Object.entries(file["models"]).flatMap(([name, model]): [string, unknown][] => {
    if (typeof model !== "string") return [[name, withoutService(name, model, report)]];
    const hint = `write ${name}: { base_url: "${addresses["ollama"]}", model: ${model} }, with the address of its server`;
    report.add(
      "wrong_type",
      ["models", name],
      [`"${name}" is a map: where the model is, and what it is called there`, { hint }],
    );
    return [];
  });
  return { ...file, models: Object.fromEntries(models) };
}

function withoutService(name: string, model: unknown, report: FileReport): unknown {
  if (!isMap(model) || typeof model["provider"] !== "string") return model;
  const { provider, ...rest } = model;
  const address = Object.hasOwn(addresses, provider) ? addresses[provider] : undefined;
  if (address === undefined) return model;
  const hint = rest["base_url"] === undefined ? `write base_url: "${address}" in its place` : "leave it out";
  const message = `"${provider}" speaks the protocol openai-compatible, which is meant where no provider is named`;
  report.add("bad_value", ["models", name, "provider"], [message, { hint }]);
  return rest;
}

/** What is said of the models of a file, beyond the form of each. */
export function checkModels(file: unknown, report: FileReport): void {
  if (!isMap(file)) return;
  const models: Models = isMap(file["models"]) ? file["models"] : {};
  for (const [name, model] of Object.entries(models)) {
    const others = isMap(model) && Array.isArray(model["fallback"]) ? model["fallback"] : [];
    for (const [index, other] of others.entries()) {
      const problem = typeof other === "string" ? whyNoFallback(other, name, models) : undefined;
      if (problem !== undefined) report.add("bad_value", ["models", name, "fallback", index], [problem]);
    }
  }
  if (isMap(file["agent"])) checkCosts(file["agent"], models, report);
}

function whyNoFallback(other: string, of: string, models: Models): string | undefined {
  if (other === of) return "a model is not its own fallback; name another, or none";
  // The default one may be named by the environment alone.
  if (other === defaultModel || Object.hasOwn(models, other)) return undefined;
  const others = Object.keys(models).filter((name) => name !== of);
  if (others.length > 0) return unknownModel(other, others);
  return `no model is called ${JSON.stringify(other)}; there is none besides ${JSON.stringify(of)}`;
}

/** Where costs are limited, a model without a price is not asked: nobody could keep to the limit. */
function checkCosts(agent: Models, models: Models, report: FileReport): void {
  const budget = ["cost_budget", "call_cost_budget"].find((key) => typeof agent[key] === "number");
  if (budget === undefined) return;
  const own = typeof agent["model"] === "string" ? agent["model"] : defaultModel;
  const names = new Set([own, ...Object.keys(models)]);
  const unpriced = [...names].filter((name) => !hasPrice(models[name]));
  if (unpriced.length === 0) return;
  const message = `with ${budget}, models without a price are not asked: ${unpriced.join(", ")}`;
  const hint = `write price: { input: …, output: … } for a million tokens under models.${unpriced[0]}; 0 for one that costs nothing`;
  report.add("no_price", ["agent", budget], [message, { severity: "warning", hint }]);
}

function hasPrice(model: unknown): boolean {
  return isMap(model) && isMap(model["price"]);
}
