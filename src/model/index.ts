/**
 * Language models: the port, model families, errors and retries of requests, fallbacks, budgets.
 *
 * Belongs here: one request to a model and its response. Loops over several requests belong to `agent/`.
 *
 * Must stay true: a `Model` is the interface of the AI SDK. Differences between services are in families (`family/`),
 * and nowhere else. A tool call whose arguments were cut off or cannot be parsed is never executed. A budget is checked
 * before each request. Importing this folder loads no client.
 *
 * Test: `npm run vitest -- run src/model`
 */

export type * from "./errors/retry-with-backoff.ts";
export * from "./broken-model.ts";
export * from "./find-json.ts";
export * from "./generate-object.ts";
export * from "./generate-text.ts";
export type * from "./port/model.ts";
export * from "./port/model-reasons.ts";
export * from "./port/estimate-call.ts";
export * from "./port/tool-images.ts";
export * from "./turn/prepare-call.ts";
export * from "./budget.ts";
export * from "./turn/fallback-model.ts";
export * from "./model-settings.ts";
export * from "./open-models.ts";
export * from "./known-services.ts";
export * from "./port/model-table.ts";
export * from "./missing-model.ts";
export * from "./open-model.ts";

export * from "./port/token-usage.ts";

export * from "./turn/request-from-model.ts";
export * from "./turn/request-turn.ts";
export type * from "./turn/turn-options.ts";
export * from "./port/model-turn.ts";
export * from "./turn/parse-text-calls.ts";
export * from "./turn/prior-turns.ts";
export * from "./family/base-family.ts";
export * from "./family/resolve-model-family.ts";
export type * from "./port/model-family.ts";
export * from "./port/text-reader.ts";
