import { defaultModel, modelTable, unknownModel } from "../model/index.ts";
import { type FileReport, isRecord } from "../schema/index.ts";

type Models = Readonly<Record<string, unknown>>;

/** True if this key is a property of a model, not the name of one. */
function isPart(key: string): boolean {
  return Object.hasOwn(modelTable, key);
}

/** Returns a hint how to move the value of `model:` to `models:`. */
export function modelHint(model: unknown, models: unknown): string {
  // The name of a configured model belongs under `agent`.
  if (typeof model === "string" && isRecord(models) && Object.hasOwn(models, model)) {
    return `write agent: { model: ${model} }`;
  }
  const entries = isRecord(model) ? Object.entries(model) : [];
  const isNamed = entries.length > 0 && entries.every(([key, part]) => isRecord(part) && !isPart(key));
  if (isNamed && models !== undefined) return `write ${entries.map(([key]) => key).join(", ")} under models:`;
  if (isNamed) return "write models: instead";
  // A former key `name` is now `model`.
  const parts = entries.map(([key]) => (key === "name" ? "model" : key)).filter(isPart);
  return `write models: { ${defaultModel}: { ${parts.map((key) => `${key}: …`).join(", ") || "base_url: …, model: …"} } }`;
}

/** Returns the file without models that lack a name, and reports them once. */
export function withoutNamelessModel(file: unknown, report: FileReport): unknown {
  if (!isRecord(file) || !isRecord(file["models"])) return file;
  const { models } = file;
  const parts = Object.keys(models).filter(isPart);
  const first = parts.find((key) => !isRecord(models[key]));
  if (first === undefined) return file;
  const hint = `write models: { ${defaultModel}: { ${parts.map((key) => `${key}: …`).join(", ")} } }`;
  const message = `\`models\` needs a name for each model; "${first}" is a property of a model`;
  report.add("unknown_key", ["models", first], [message, { part: "key", hint }]);
  return { ...file, models: Object.fromEntries(Object.entries(models).filter(([key]) => !isPart(key))) };
}

/** Base URLs of services whose name is often written instead of a protocol. */
const addresses: Readonly<Record<string, string>> = {
  ollama: "http://127.0.0.1:11434/v1",
  openai: "https://api.openai.com/v1",
};

/** Returns the file without models that are only a name, and without services in place of protocols; reports each. */
export function withoutBareModels(file: unknown, report: FileReport): unknown {
  if (!isRecord(file) || !isRecord(file["models"])) return file;
  const models = Object.entries(file["models"]).flatMap(([name, model]): [string, unknown][] => {
    if (typeof model !== "string") return [[name, withoutService(name, model, report)]];
    const hint = `write ${name}: { base_url: "${addresses["ollama"]}", model: ${model} }, with the address of its server`;
    report.add(
      "wrong_type",
      ["models", name],
      [`"${name}" must be a map with the address of the model's server and its name there`, { hint }],
    );
    return [];
  });
  return { ...file, models: Object.fromEntries(models) };
}

function withoutService(name: string, model: unknown, report: FileReport): unknown {
  if (!isRecord(model) || typeof model["provider"] !== "string") return model;
  const { provider, ...rest } = model;
  const address = Object.hasOwn(addresses, provider) ? addresses[provider] : undefined;
  if (address === undefined) return model;
  const hint = rest["base_url"] === undefined ? `write base_url: "${address}" instead` : "leave it out";
  const message = `"${provider}" uses the protocol openai-compatible, which is the default provider`;
  report.add("bad_value", ["models", name, "provider"], [message, { hint }]);
  return rest;
}

/** Checks the models of a file beyond their schema. */
export function checkModels(file: unknown, report: FileReport): void {
  if (!isRecord(file)) return;
  const models: Models = isRecord(file["models"]) ? file["models"] : {};
  for (const [name, model] of Object.entries(models)) {
    const others = isRecord(model) && Array.isArray(model["fallback"]) ? model["fallback"] : [];
    for (const [index, other] of others.entries()) {
      const problem = typeof other === "string" ? whyNoFallback(other, name, models) : undefined;
      if (problem !== undefined) report.add("bad_value", ["models", name, "fallback", index], [problem]);
    }
  }
  if (isRecord(file["agent"])) checkCosts(file["agent"], models, report);
}

function whyNoFallback(other: string, of: string, models: Models): string | undefined {
  if (other === of) return "a model cannot be its own fallback; name another, or none";
  // The default one may be named by the environment alone.
  if (other === defaultModel || Object.hasOwn(models, other)) return undefined;
  const others = Object.keys(models).filter((name) => name !== of);
  if (others.length > 0) return unknownModel(other, others);
  return `there is no model named ${JSON.stringify(other)}; the only one is ${JSON.stringify(of)}`;
}

/** With a cost limit, models without a price are not used: the limit could not be enforced. */
function checkCosts(agent: Models, models: Models, report: FileReport): void {
  const budget = ["cost_budget", "call_cost_budget"].find((key) => typeof agent[key] === "number");
  if (budget === undefined) return;
  const own = typeof agent["model"] === "string" ? agent["model"] : defaultModel;
  const names = new Set([own, ...Object.keys(models)]);
  const unpriced = [...names].filter((name) => !(isRecord(models[name]) && isRecord(models[name]["price"])));
  if (unpriced.length === 0) return;
  const message = `with ${budget}, models without a price are not used: ${unpriced.join(", ")}`;
  const hint = `write price: { input: …, output: … } for a million tokens under models.${unpriced[0]}; 0 for a free model`;
  report.add("no_price", ["agent", budget], [message, { severity: "warning", hint }]);
}
