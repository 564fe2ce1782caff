import { describe, expect, test } from "vitest";
import { capabilityKeywords } from "./capability-keywords.ts";
import { capabilityName, deriveCapabilities } from "./derive-capabilities.ts";
import { cpuTime } from "../../../test/support/cpu-time.ts";

const derive = deriveCapabilities();
const of = (name: string, description = "Works."): readonly string[] => derive({ name, description });

describe("[C06] capabilities from names and descriptions", () => {
  test("are derived from Chinese words anywhere", () => {
    expect(of("x", "搜索互联网上的资料")).toEqual(expect.arrayContaining(["search", "web", "research"]));
    expect(of("x", "执行数学计算")).toEqual(["calculate"]);
    expect(of("x", "返回当前时间")).toEqual(["time"]);
    expect(of("天气查询", "查一个城市。")).toEqual(["weather"]);
  });

  test("are derived from English words in their forms, in camelCase and snake_case names too", () => {
    expect(of("brave", "Searches the web.")).toEqual(expect.arrayContaining(["search", "web"]));
    expect(of("webSearch")).toEqual(expect.arrayContaining(["search", "web", "research"]));
    expect(of("get_current_time")).toContain("time");
    expect(of("getTIMEZone", "Tells the time zone.")).toContain("time");
    expect(of("x", "Translating documents.")).toEqual(["translate"]);
    expect(of("x", "Summarized pages.")).toEqual(["summarize"]);
  });

  test("match whole words in Latin script", () => {
    expect(of("timeout_setter", "Sets timeouts.")).not.toContain("time");
    expect(of("researcher_profile", "Describes researchers.")).not.toContain("search");
    expect(of("profile", "Shows a profile.")).not.toContain("file");
    expect(of("x", "用search引擎")).toContain("search");
  });

  test("come from the first sentence: the rest may mention other tools", () => {
    expect(of("x", "Draws a circle. Search for pictures with web_search.")).toEqual([]);
  });

  test("do not send a search of the user's own files to the web", () => {
    expect(of("x", "Searches files by their content.")).toEqual(["search", "file"]);
    expect(of("x", "搜索本地笔记")).toEqual(["search"]);
  });

  test("can be extended with keywords and capabilities by a workspace", () => {
    const more = deriveCapabilities({ search: ["谷歌", "google"], finance: ["stock", "股票"] });
    expect(more({ name: "x", description: "谷歌一下" })).toEqual(["search"]);
    expect(more({ name: "googleIt", description: "Works." })).toEqual(["search"]);
    expect(more({ name: "x", description: "Stocks and bonds." })).toEqual(["finance"]);
    expect(more({ name: "x", description: "查股票" })).toEqual(["finance"]);
  });

  test("are one capability by their English and by their Chinese name", () => {
    const names = Object.entries(capabilityKeywords).flatMap(([name, { aliases = [] }]) =>
      aliases.map((alias) => [capabilityName(alias), name]),
    );
    expect(names.length).toBeGreaterThanOrEqual(Object.keys(capabilityKeywords).length);
    for (const [found, name] of names) expect(found).toBe(name);
    expect([capabilityName(" 天气 "), capabilityName("Ｓearch"), capabilityName("抓取")]).toEqual([
      "weather",
      "search",
      "fetch",
    ]);
    expect(deriveCapabilities({ 天气: ["台风"] })({ name: "x", description: "台风路径" })).toEqual(["weather"]);
  });

  test("take linear time on hostile descriptions", () => {
    const begin = cpuTime();
    of("x", "search ".repeat(1_000_000));
    of("x", "A".repeat(1_000_000));
    expect(cpuTime() - begin).toBeLessThan(500);
  });
});
