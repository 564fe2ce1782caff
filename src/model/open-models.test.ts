import { afterEach, describe, expect, test } from "vitest";
import { type HttpClient, createHttpClient } from "../net/index.ts";
import {
  type WorkspaceModels,
  type ModelsSettingsFile,
  requestTurn,
  faultOf,
  generateText,
  openModels,
} from "./index.ts";
import { type ModelServer, type ModelServerResponse, modelServer } from "../testing/model/server/model-server.ts";

const opened: (HttpClient | ModelServer)[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

async function workspace(
  script: readonly ModelServerResponse[],
  file: (server: ModelServer) => ModelsSettingsFile,
  env: Record<string, string> = {},
): Promise<{ models: WorkspaceModels; server: ModelServer }> {
  const server = await modelServer(script);
  const http = createHttpClient({ allow: [server.host] });
  opened.push(server, http);
  const secret = (name: string): string | undefined => (name === "KEY" ? "sk-1" : undefined);
  return { server, models: openModels({ file: file(server), env, secret }, { forUrl: () => http }) };
}

describe("the models of a workspace", () => {
  test("are used by name, or the default if none is passed", async () => {
    const { models, server } = await workspace(["one", "two"], ({ baseUrls }) => ({
      fast: { provider: "anthropic", base_url: baseUrls.anthropic, model: "claude-haiku-4-5", api_key: "KEY" },
      default: { base_url: baseUrls.openai, model: "gpt-4o", api_key: "${secret.KEY}" },
    }));
    expect(models.names).toEqual(["default", "fast"]);
    for (const name of [undefined, "fast"]) await generateText(models.get(name) as never, { prompt: "?" });
    expect(server.requests.map(({ model, path }) => [model, path])).toEqual([
      ["gpt-4o", "/v1/chat/completions"],
      ["claude-haiku-4-5", "/v1/messages"],
    ]);
    expect(models.get()).toBe(models.get("default"));
  });

  test("fall back to each other, each tried once, in any order", async () => {
    const { models, server } = await workspace([{ status: 404 }, { status: 404 }, "three"], ({ baseUrls }) => {
      const base_url = baseUrls.openai;
      return {
        default: { base_url, model: "a", fallback: ["b", "broken"] },
        b: { base_url, model: "b", fallback: ["default", "c"] },
        broken: { base_url, model: "x", api_key: "NONE" },
        c: { base_url, model: "c", fallback: ["b"] },
      };
    });
    const model = models.get();
    if (model === undefined) throw new Error("there is a default");
    const turn = await requestTurn(model, { prompt: [{ role: "user", content: [{ type: "text", text: "?" }] }] });
    expect(turn.failedModels?.map(({ modelId }) => modelId)).toEqual(["a", "b"]);
    expect(server.requests.map((request) => request.model)).toEqual(["a", "b", "c"]);
  });

  test("send a key only to the server configured with it, and say what to set if a key is missing", async () => {
    const server = await modelServer(() => ({ status: 401 }));
    const http = createHttpClient({ allow: [server.host] });
    opened.push(server, http);
    const requested = (file: ModelsSettingsFile, env: Record<string, string>): Promise<unknown> => {
      const models = openModels({ file, env, secret: () => "sk-of-file" }, { forUrl: () => http });
      return generateText(models.get() as never, { prompt: "?" });
    };
    const base_url = server.baseUrls.openai;
    const own = { WINDLASS_MODEL_BASE_URL: base_url, WINDLASS_MODEL: "qwen3" };
    const elsewhere = { base_url: "https://api.openai.com/v1", model: "gpt", api_key: "KEY" };
    await expect(requested({ default: elsewhere }, own)).rejects.toThrow(/none was sent .* set WINDLASS_MODEL_API_KEY/);
    await expect(
      requested({ default: { base_url, model: "m" } }, { WINDLASS_MODEL_API_KEY: "sk-own" }),
    ).rejects.toThrow(/none was sent .* set WINDLASS_MODEL_BASE_URL to it as well, or models\.default\.api_key/);
    expect(server.requests).toHaveLength(2);
    expect(JSON.stringify(server.requests)).not.toContain("sk-o");
  });

  test("models at a service that requires a key are skipped without one, and their fallbacks are used", async () => {
    const { models, server } = await workspace(["Hello."], ({ baseUrls }) => ({
      default: { provider: "anthropic", model: "claude", fallback: ["near"] },
      alone: { base_url: "https://api.groq.com/openai/v1", model: "big" },
      near: { base_url: baseUrls.openai, model: "small" },
    }));
    await expect(generateText(models.get("alone") as never, { prompt: "?" })).rejects.toMatchObject({
      reason: "no_key",
      message:
        'the model "big" at api.groq.com requires a key, and there is none; ' +
        "set GROQ_API_KEY or models.alone.api_key in windlass.yaml",
    });
    expect(faultOf(models.get("alone"))).toMatchObject({ reason: "no_key" });
    expect(faultOf(models.get())).toBeUndefined();
    const turn = await requestTurn(models.get() as never, {
      prompt: [{ role: "user", content: [{ type: "text", text: "?" }] }],
    });
    expect(turn.failedModels).toMatchObject([{ modelId: "claude", failure: { reason: "no_key" } }]);
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ["the key of models.default.api_key", { api_key: "KEY" }],
    ["none was sent \\(401: no\\); set models.default.api_key in windlass.yaml", {}],
  ])("models whose server refuses the key name its source: %s", async (text, key) => {
    const refusal = { status: 401, body: { error: { message: "no" } } };
    const { models } = await workspace([refusal], ({ baseUrls }) => ({
      default: { base_url: baseUrls.openai, model: "a", ...key },
    }));
    await expect(generateText(models.get() as never, { prompt: "?" })).rejects.toThrow(new RegExp(text));
  });

  test("models with invalid settings fail when they are used, not before", async () => {
    const { models } = await workspace([], ({ baseUrls }) => ({
      default: { base_url: baseUrls.openai, model: "a", api_key: "NONE" },
      fast: { base_url: baseUrls.openai },
    }));
    const requested = (name?: string): Promise<unknown> => generateText(models.get(name) as never, { prompt: "?" });
    await expect(requested()).rejects.toThrow(/models\.default\.api_key names no secret/);
    await expect(requested("fast")).rejects.toThrow(/no setting says which model it is: set models\.fast\.model/);
    await expect(requested("fats")).rejects.toThrow(/no model is called "fats"; did you mean "fast"\?/);
  });

  test("are undefined if nothing names one; the environment can name the default", async () => {
    expect((await workspace([], () => ({}))).models.get()).toBeUndefined();
    const { models } = await workspace([], () => ({}), {
      WINDLASS_MODEL: "claude-sonnet-5",
      WINDLASS_MODEL_PROVIDER: "anthropic",
    });
    expect(models.names).toEqual(["default"]);
    expect(models.get()).toMatchObject({ modelId: "claude-sonnet-5", provider: "api.anthropic.com" });
    const wrong = await workspace([], () => ({}), { WINDLASS_MODEL: "m", WINDLASS_MODEL_PROVIDER: "antropic" });
    await expect(generateText(wrong.models.get() as never, { prompt: "?" })).rejects.toThrow(
      /is "antropic"; it must be one of openai-comp/,
    );
  });
});
