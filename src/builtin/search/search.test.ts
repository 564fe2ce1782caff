import { afterEach, describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { loopbackOnly, loopbackSite } from "../../../test/support/loopback-site.ts";
import type { FailureError } from "../../base/index.ts";
import { createEngine } from "../../engine/index.ts";
import { createHttpClient } from "../../net/index.ts";
import {
  type SearchProvider,
  type SearchResult,
  createSearch,
  openProviders,
  searchFailure,
  searxngProvider,
  webSearchTool,
} from "./index.ts";
import { RateBucket } from "./search.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const found = (url: string): SearchResult => ({ title: "T", url, snippet: "s" });

interface Reported extends SearchProvider {
  readonly queries: string[];
}

/** Another provider is as small as this. */
function provider(name: string, answer: (query: string) => readonly SearchResult[], extra = {}): Reported {
  const queries: string[] = [];
  return {
    name,
    queries,
    configured: () => true,
    search: async ({ query }) => {
      queries.push(query);
      return answer(query);
    },
    ...extra,
  };
}

const broken = (reason: "blocked" | "bad_answer" | "provider_error", waitMs?: number) => (): never => {
  throw searchFailure(reason, `it is ${reason}`, waitMs === undefined ? {} : { retryAfterMs: waitMs });
};

describe("[D07] providers are queried in order", () => {
  test("the first that finds something answers", async () => {
    const first = provider("first", () => []);
    const second = provider("second", () => [found("https://a.test/")]);
    const third = provider("third", () => [found("https://b.test/")]);
    const search = createSearch({ providers: [first, second, third] });
    expect(await search.search({ query: " tide \n tables " })).toEqual({
      results: [found("https://a.test/")],
      provider: "second",
      cached: false,
    });
    expect([first.queries, second.queries, third.queries]).toEqual([["tide tables"], ["tide tables"], []]);
  });

  test("if one provider fails, the next is queried", async () => {
    const search = createSearch({
      providers: [provider("a", broken("blocked")), provider("b", () => [found("https://a.test/")])],
    });
    expect(await search.search({ query: "x" })).toMatchObject({ provider: "b" });
  });

  test("an empty list is the result if a provider finds nothing", async () => {
    const search = createSearch({ providers: [provider("a", broken("blocked")), provider("b", () => [])] });
    expect(await search.search({ query: "x" })).toEqual({ results: [], provider: "b", cached: false });
  });

  test("if all providers fail, the failure has each reason", async () => {
    const providers = [provider("a", broken("blocked", 9000)), provider("b", broken("provider_error"))];
    const failure = await createSearch({ providers })
      .search({ query: "x" })
      .catch((error: unknown) => error as Error);
    expect(failure).toMatchObject({ code: "not_available", reason: "all_failed" });
    expect((failure as Error).message).toMatch(/a: it is blocked \(blocked\)[\s\S]*b: .*\(provider_error\)/);
  });

  test("if one of the providers timed out, none is retried within the same search", async () => {
    const slow = provider("a", () => {
      throw searchFailure("provider_slow", "it is slow", { retryAfterMs: 30_000 });
    });
    const engine = createEngine({
      tools: [webSearchTool({ search: createSearch({ providers: [slow, provider("b", broken("provider_error"))] }) })],
    });
    closing.push(() => engine.close());
    expect(await engine.call("web_search", { query: "x" })).toMatchObject({
      error: { reason: "all_failed", retry: "safe", retryAfterMs: 30_000 },
      meta: { attempts: 1 },
    });
  });

  test("the failure of the only provider is reported unchanged", async () => {
    const search = createSearch({ providers: [provider("a", broken("blocked", 9000))] });
    await expect(search.search({ query: "x" })).rejects.toMatchObject({ reason: "blocked" });
  });

  test("results without any address that can be fetched are a bad answer", async () => {
    const search = createSearch({ providers: [provider("a", () => [found("javascript:alert(1)")])] });
    await expect(search.search({ query: "x" })).rejects.toMatchObject({ reason: "bad_answer" });
  });

  test("a search without a configured provider lists the settings to set", async () => {
    const { providers } = openProviders({ http: createHttpClient(loopbackOnly), env: {} });
    const failure = await createSearch({ providers })
      .search({ query: "x" })
      .catch((error: unknown) => error as Error);
    expect(failure).toMatchObject({ code: "not_available", reason: "not_configured" });
    for (const name of [
      "WINDLASS_SEARXNG_URL",
      "WINDLASS_BRAVE_API_KEY",
      "WINDLASS_MEDIAWIKI_URL",
      "WINDLASS_CORPUS",
    ]) {
      expect((failure as Error).message).toContain(name);
    }
  });

  test("an empty query is refused", async () => {
    const search = createSearch({ providers: [provider("a", () => [])] });
    await expect(search.search({ query: " \n" })).rejects.toMatchObject({
      code: "validation_error",
      reason: "empty_query",
    });
  });
});

describe("each provider is spared", () => {
  test("results are cached for a while", async () => {
    const clock = new FakeClock();
    const requested = provider("a", () => [found("https://a.test/")]);
    const search = createSearch({ providers: [requested], clock, cacheMs: 1000 });
    const first = await search.search({ query: "x", count: 3 });
    const second = await search.search({ query: "x", count: 3 });
    expect([first.cached, second.cached, second.results]).toEqual([false, true, first.results]);
    await search.search({ query: "x", count: 4 });
    expect(requested.queries).toHaveLength(2);
    clock.advance(1001);
    expect((await search.search({ query: "x", count: 3 })).cached).toBe(false);
  });

  test("neither an empty nor a local response is cached", async () => {
    const empty = provider("a", () => []);
    const local = provider("b", () => [found("https://a.test/")], { local: true });
    const search = createSearch({ providers: [empty, local] });
    await search.search({ query: "x" });
    await search.search({ query: "x" });
    expect([empty.queries.length, local.queries.length]).toEqual([2, 2]);
  });

  test("a breaker opens after three failures: the provider cools down, then one probe is sent", async () => {
    const clock = new FakeClock();
    let works = false;
    const shaky = provider("a", () => {
      if (!works) broken("provider_error")();
      return [found("https://a.test/")];
    });
    const search = createSearch({ providers: [shaky], clock, perMinute: 600 });
    for (let turn = 0; turn < 5; turn++) await search.search({ query: "x" }).catch(() => {});
    expect(shaky.queries).toHaveLength(3);
    await expect(search.search({ query: "x" })).rejects.toMatchObject({
      reason: "cooling_down",
      message: expect.stringMatching(
        /a failed repeatedly and is cooling down; .* in 30 s; last failure: it is provider_error/,
      ),
    });
    works = true;
    clock.advance(30_001);
    expect(await search.search({ query: "x" })).toMatchObject({ provider: "a" });
  });

  test("the breaker counts calls and not the tries of each", async () => {
    const shaky = provider("a", broken("provider_error"));
    const engine = createEngine({
      tools: [webSearchTool({ search: createSearch({ providers: [shaky], perMinute: 600 }) })],
    });
    closing.push(() => engine.close());
    for (const attempts of [4, 4]) {
      expect(await engine.call("web_search", { query: "x" })).toMatchObject({
        error: { reason: "provider_error", message: "it is provider_error" },
        meta: { attempts },
      });
    }
    // The third call opens the breaker: its failure has the reason and the time of the next attempt.
    expect(await engine.call("web_search", { query: "x" })).toMatchObject({
      error: {
        reason: "provider_error",
        message: "it is provider_error",
        retryAfterMs: expect.closeTo(30_000, -4) as number,
      },
      meta: { attempts: 1 },
    });
    expect(shaky.queries).toHaveLength(9);
    expect(await engine.call("web_search", { query: "x" })).toMatchObject({
      error: {
        reason: "cooling_down",
        message: expect.stringMatching(/the next attempt is in \d+ s; last failure: it is provider/),
      },
    });
  });

  test("a provider that hangs is queried once per search", async () => {
    const clock = new FakeClock();
    const site = await loopbackSite(() => {});
    const http = createHttpClient({ ...loopbackOnly, allow: [`127.0.0.1:${site.port}`], clock });
    closing.push(site.close, () => http.close());
    const search = createSearch({ providers: [searxngProvider({ http, baseUrl: site.origin })], clock });
    const failing = search.search({ query: "x" }).catch((error: unknown) => error as FailureError);
    await expect.poll(() => site.paths.length).toBe(1);
    await clock.pass(10_000);
    const failure = await failing;
    expect(failure).toMatchObject({ code: "timeout", reason: "provider_slow" });
    // Later than any search that is still under way.
    expect((failure as FailureError).toFailure()).toMatchObject({ retry: "safe", retryAfterMs: 30_000 });
  });

  test("a provider is not queried for the time of its Retry-After", async () => {
    const clock = new FakeClock();
    const requested = provider("a", broken("blocked", 120_000));
    const search = createSearch({ providers: [requested], clock });
    await search.search({ query: "x" }).catch(() => {});
    clock.advance(100_000);
    await expect(search.search({ query: "x" })).rejects.toMatchObject({ reason: "cooling_down" });
    expect(requested.queries).toHaveLength(1);
  });

  test("the rate is limited: the search waits for short delays and reports long ones", async () => {
    const clock = new FakeClock();
    const requested = provider("a", (query) => [found(`https://a.test/${query}`)], { perMinute: 60 });
    const search = createSearch({ providers: [requested], clock });
    for (let turn = 0; turn < 6; turn++) await search.search({ query: `${turn}` });
    const late = search.search({ query: "late" });
    await clock.pass(1000);
    expect(await late).toMatchObject({ provider: "a" });
    const slow = createSearch({ providers: [provider("b", () => [], { perMinute: 1 })], clock });
    await slow.search({ query: "x" });
    await expect(slow.search({ query: "y" })).rejects.toMatchObject({ reason: "rate_limited" });
    expect(clock.timers).toBe(0);
  });

  test("a cancelled search ends at once and counts as no failure of a provider", async () => {
    const clock = new FakeClock();
    const requested = provider("a", () => [found("https://a.test/")], { perMinute: 60 });
    const search = createSearch({ providers: [requested], clock, cacheMs: 0 });
    for (let turn = 0; turn < 6; turn++) await search.search({ query: `${turn}` });
    const controller = new AbortController();
    const waiting = search.search({ query: "x", signal: controller.signal });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
    expect(clock.timers).toBe(0);
  });
});

describe("[D06] [A17] [E09] web_search", () => {
  const twelve = Array.from({ length: 12 }, (_unused, index) => found(`https://a.test/${index}`));

  test.each([
    ["web_search", { query: "tide" }, 5],
    ["web_search", { query: "tide", count: 10 }, 10],
    ["search_web", { query: "tide", max_results: 3 }, 3],
    ["webSearch", { query: "tide", count: 2, max_results: 9 }, 2],
  ])("%s %j gives %i results", async (name, args, count) => {
    const search = createSearch({ providers: [provider("a", () => twelve)] });
    const engine = createEngine({ tools: [webSearchTool({ search })] });
    const result = await engine.call(name, args);
    expect(result).toMatchObject({ success: true, tool: "web_search", output: { provider: "a" } });
    expect((result as { output: { results: unknown[] } }).output.results).toEqual(twelve.slice(0, count));
  });

  test.each(["chat_history", "chatHistory"])("%s provides the topic of a pronoun", async (name) => {
    const requested = provider("a", () => twelve);
    const engine = createEngine({ tools: [webSearchTool({ search: createSearch({ providers: [requested] }) })] });
    const history = [{ role: "user", content: "Tell me about the Eiffel Tower" }];
    expect(await engine.call("webSearch", { query: "who built it", [name]: history })).toMatchObject({
      output: { query: "who built Eiffel Tower", provider: "a" },
    });
    expect(requested.queries).toEqual(["who built Eiffel Tower"]);
  });

  test("every example works", async () => {
    const tool = webSearchTool({ search: createSearch({ providers: [provider("a", () => twelve)] }) });
    const engine = createEngine({ tools: [tool] });
    const { examples } = tool.input.json as unknown as { examples: unknown[] };
    expect(examples).not.toHaveLength(0);
    for (const example of examples) {
      expect(await engine.call("web_search", example)).toMatchObject({ success: true });
    }
  });

  test.each([
    [{ query: "" }],
    [{ query: "x", count: 0 }],
    [{ query: "x", count: 51 }],
    [{}],
    [{ query: "x", chat_history: ["a"] }],
  ])("refuses %j", async (args) => {
    const engine = createEngine({ tools: [webSearchTool({ search: createSearch({ providers: [] }) })] });
    expect(await engine.call("web_search", args)).toMatchObject({ error: { code: "validation_error" } });
  });

  test("without any provider it is not available, and a blocked one is never an empty list", async () => {
    const none = createEngine({ tools: [webSearchTool({ search: createSearch({ providers: [] }) })] });
    expect(await none.call("web_search", { query: "x" })).toMatchObject({
      error: { code: "not_available", reason: "not_configured" },
    });
    const site = await loopbackSite((_request, response) => response.writeHead(429, { "retry-after": "60" }).end());
    const http = createHttpClient({ ...loopbackOnly, allow: [`127.0.0.1:${site.port}`] });
    closing.push(site.close, () => http.close());
    const search = createSearch({ providers: [searxngProvider({ http, baseUrl: site.origin })] });
    const blocked = createEngine({ tools: [webSearchTool({ search })] });
    expect(await blocked.call("web_search", { query: "x" }, { maxRetries: 0 })).toMatchObject({
      error: { code: "not_available", reason: "blocked", retryAfterMs: 60_000 },
    });
  });
});

test("a bucket allows a short burst, then the configured rate", () => {
  const bucket = new RateBucket(60);
  expect(Array.from({ length: 7 }, () => bucket.take(0))).toEqual([0, 0, 0, 0, 0, 0, 1000]);
  expect(bucket.take(999)).toBe(1);
  expect(bucket.take(1000)).toBe(0);
  expect(bucket.take(1000)).toBe(1000);
  expect(Array.from({ length: 7 }, () => bucket.take(1_000_000)).filter((wait) => wait === 0)).toHaveLength(6);
});
