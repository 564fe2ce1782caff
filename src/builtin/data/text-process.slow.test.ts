import { describe, expect, test } from "vitest";
import badInputs from "../../../test/data/bad-inputs.json" with { type: "json" };
import { systemClock } from "../../base/index.ts";
import { createEngine } from "../../engine/index.ts";
import { type TextProcessInput, processText, textOperations, textProcessTool } from "./index.ts";

const engine = createEngine({ tools: [textProcessTool] });

async function give(input: TextProcessInput): Promise<unknown> {
  return (await processText(input)).result;
}

describe("[D06] text_process", () => {
  test.each((textProcessTool.input.json["examples"] as TextProcessInput[]).map((example) => [example]))(
    "runs its example %j",
    async (example) => {
      const result = await engine.call("text_process", example);
      expect(result).toMatchObject({ success: true, output: { operation: example.operation } });
    },
  );

  test("refuses an unknown operation, and lists the operations", async () => {
    const result = await engine.call("text_process", { operation: "shout", text: "a" });
    expect(result).toMatchObject({ success: false, error: { code: "validation_error" } });
    expect(JSON.stringify(result)).toContain("upper");
  });

  test("names the parameter that an operation lacks", async () => {
    const needs: [TextProcessInput, string][] = [
      [{ operation: "upper" }, "text"],
      [{ operation: "join" }, "items"],
      [{ operation: "replace", text: "a" }, "find"],
      [{ operation: "replace", text: "a", find: "a" }, "replacement"],
      [{ operation: "extract", text: "a" }, "what"],
      [{ operation: "truncate", text: "a" }, "max_length"],
      [{ operation: "diff", text: "a" }, "other"],
      [{ operation: "encode", text: "a" }, "encoding"],
      [{ operation: "decode", text: "a" }, "encoding"],
    ];
    for (const [input, parameter] of needs) {
      const result = await engine.call("text_process", input);
      expect(result).toMatchObject({
        success: false,
        error: {
          code: "validation_error",
          reason: "missing_parameter",
          retry: "never",
          issues: [{ path: [parameter] }],
        },
      });
    }
  });

  test("is pure, and describes every operation", () => {
    expect(textProcessTool.effect).toBe("pure");
    const { operation } = textProcessTool.input.json["properties"] as Record<
      string,
      { description: string; enum: string[] }
    >;
    expect(operation!.enum).toEqual(Object.keys(textOperations));
    for (const name of operation!.enum) expect(operation!.description).toContain(`${name}: `);
  });
});

describe("text_process writes", () => {
  test.each<[TextProcessInput["operation"], string, string]>([
    ["upper", "straße 中文", "STRASSE 中文"],
    ["lower", "ÀB", "àb"],
    ["capitalize", "  hello World", "  Hello World"],
    ["title_case", "the WORLD's end élan", "The World's End Élan"],
    ["camel_case", "parse HTTP request-2", "parseHttpRequest2"],
    ["pascal_case", "user_id", "UserId"],
    ["snake_case", "parseHTTPRequest", "parse_http_request"],
    ["kebab_case", "Some Title, really", "some-title-really"],
    ["reverse", "ab👨‍👩‍👧c", "c👨‍👩‍👧ba"],
    ["trim", " \ta\n", "a"],
    ["dedupe_lines", "a\nb\na \n\nA\n\n", "a\nb\n\nA\n"],
    ["upper", "\ud800a", "\ufffdA"],
  ])("%s of %j as %j", async (operation, text, expected) => {
    expect(await give({ operation, text })).toBe(expected);
  });

  test("case by the rules of a language, and refuses an invalid language", async () => {
    expect(await give({ operation: "upper", text: "i", locale: "tr" })).toBe("İ");
    await expect(give({ operation: "upper", text: "i", locale: "_" })).rejects.toMatchObject({
      reason: "bad_parameter",
    });
  });

  test("lines in order", async () => {
    const text = "b10\nB2\na\n";
    expect(await give({ operation: "sort_lines", text })).toBe("a\nb10\nB2");
    expect(await give({ operation: "sort_lines", text, numeric: true, order: "desc" })).toBe("b10\nB2\na");
    expect(await give({ operation: "sort_lines", text: "上海\n北京", locale: "zh" })).toBe("北京\n上海");
  });

  test.each<[Partial<TextProcessInput>, string]>([
    [{}, "A\u0301 B".normalize("NFC")],
    [{ steps: ["half_width"] }, "A\u0301  B \u200b\r\n"],
    [{ steps: ["nfkc", "whitespace", "invisible"] }, "Á B "],
  ])("normalized text with %j", async (options, expected) => {
    const text = "A\u0301\u3000 B \u200b\r\n";
    expect(await give({ operation: "normalize", text, ...options })).toBe(expected);
  });

  test("half width of letters and digits, keeping Chinese punctuation", async () => {
    expect(await give({ operation: "normalize", text: "ＡＢ１２，。％（中）", steps: ["half_width"] })).toBe(
      "AB12，。%（中）",
    );
    expect(await give({ operation: "normalize", text: "A1 b", steps: ["full_width"] })).toBe("Ａ１　ｂ");
    expect(await give({ operation: "normalize", text: "“a” ‘b’", steps: ["quotes"] })).toBe("\"a\" 'b'");
  });
});

describe("text_process splits and joins", () => {
  test.each<[Partial<TextProcessInput>, unknown]>([
    [{ text: "a\nb" }, ["a", "b"]],
    [{ text: "a,b,,c", separator: "," }, ["a", "b", "", "c"]],
    [{ text: "é👍🏽x", separator: "" }, ["é", "👍🏽", "x"]],
    [{ text: "a1b22c", pattern: "\\d+" }, ["a", "b", "c"]],
    [{ text: "abc", pattern: "" }, ["a", "b", "c"]],
    [{ text: "aXbxc", pattern: "x", ignore_case: true }, ["a", "b", "c"]],
    [{ text: "", separator: "," }, [""]],
  ])("%j", async (options, expected) => {
    expect(await give({ operation: "split", ...options })).toEqual(expected);
  });

  test("a list that was truncated is marked", async () => {
    const cut = await processText({ operation: "split", text: "a,b,c", separator: ",", limit: 2 });
    expect(cut).toEqual({ result: ["a", "b"], truncated: true });
    const long = await processText({ operation: "split", text: ",".repeat(20_000), separator: "," });
    expect((long.result as string[]).length).toBe(10_000);
    expect(long.truncated).toBe(true);
  });

  test("back together", async () => {
    expect(await give({ operation: "join", items: ["a", "b"], separator: " | " })).toBe("a | b");
    expect(await give({ operation: "join", items: [] })).toBe("");
  });
});

describe("text_process replaces", () => {
  test.each<[Partial<TextProcessInput>, string, number]>([
    [{ text: "a.b.c", find: ".", replacement: "-" }, "a-b-c", 2],
    [{ text: "a.b.c", find: ".", replacement: "$&", all: false }, "a$&b.c", 1],
    [{ text: "Ab aB", find: "ab", replacement: "x", ignore_case: true }, "x x", 2],
    [{ text: "a(b", find: "(B", replacement: "$1", ignore_case: true }, "a$1", 1],
    [{ text: "John Smith", pattern: "(\\w+) (\\w+)", replacement: "$2, $1" }, "Smith, John", 1],
    [{ text: "k=v", pattern: "(?<key>\\w)=", replacement: "<$<key>>" }, "<k>v", 1],
    [{ text: "5", pattern: "\\d", replacement: "$$$&$9" }, "$5$9", 1],
    [{ text: "abc", pattern: "x*", replacement: "-" }, "-a-b-c-", 4],
    [{ text: "中文 abc", pattern: "\\p{Script=Han}+", replacement: "H" }, "H abc", 1],
    [{ text: "a\nb", pattern: "(?m)^", replacement: "> " }, "> a\n> b", 2],
  ])("%j", async (options, expected, replacements) => {
    expect(await processText({ operation: "replace", ...options })).toEqual({ result: expected, replacements });
  });
});

describe("text_process extracts", () => {
  test.each<[NonNullable<TextProcessInput["what"]>, string, unknown[]]>([
    [
      "emails",
      "A <a.b+c@x-y.example.com>, b@example.org; no@tld 中文a@b.cn。",
      ["a.b+c@x-y.example.com", "b@example.org", "a@b.cn"],
    ],
    [
      "urls",
      "见https://a.example/路径。或(http://b.example/x_(y)). www.c.example!",
      ["https://a.example/", "http://b.example/x_(y)", "www.c.example"],
    ],
    [
      "numbers",
      "共25个, 1,234.5 -3 1e3 v1.2.3 a9 2024-05-01 12:30 12345678901234567 .5 7,8,9 3-5 covid-19 98%",
      [25, 1234.5, -3, 1000, 7, 8, 9, 3, 5, 98],
    ],
    [
      "dates",
      "2024-05-01T10:00, 2024/2/30, 2024年5月1日, 1st May 2024, Sept. 3, 2023 25/12/2024 05/06/2024",
      [
        { text: "2024-05-01", date: "2024-05-01" },
        { text: "2024年5月1日", date: "2024-05-01" },
        { text: "1st May 2024", date: "2024-05-01" },
        { text: "Sept. 3, 2023", date: "2023-09-03" },
        { text: "25/12/2024", date: "2024-12-25" },
        { text: "05/06/2024" },
      ],
    ],
  ])("%s", async (what, text, expected) => {
    expect(await give({ operation: "extract", text, what })).toEqual(expected);
  });

  test("matches of a pattern, its first group if it has one, each once if requested", async () => {
    expect(await give({ operation: "extract", text: "a1 b2 a1", pattern: "\\w\\d" })).toEqual(["a1", "b2", "a1"]);
    expect(await give({ operation: "extract", text: "a1 b2 a1", pattern: "(\\w)\\d", unique: true })).toEqual([
      "a",
      "b",
    ]);
  });
});

describe("text_process counts", () => {
  test.each([
    ["", { characters: 0, words: 0, lines: 0, sentences: 0, bytes: 0 }],
    ["Hello 世界。", { characters: 9, characters_without_spaces: 8, words: 3, lines: 1, sentences: 1, bytes: 15 }],
    ["Dr. Wu's e-mail cost 3.50 e.g. here. Yes! No?", { words: 9, sentences: 3 }],
    ["他说：“走吧！”然后离开了。真的……", { sentences: 3, words: 11 }],
    ["a\r\nb\n", { lines: 2 }],
    ["👨‍👩‍👧é", { characters: 2, words: 1 }],
    ["Title\n\nText goes on", { sentences: 2 }],
  ])("%j", async (text, expected) => {
    expect(await give({ operation: "count", text })).toMatchObject(expected);
  });
});

describe("text_process truncates", () => {
  test.each<[Partial<TextProcessInput>, string, boolean]>([
    [{ text: "Short.", max_length: 6 }, "Short.", false],
    [{ text: "It rained. We stayed at home.", max_length: 15 }, "It rained.", true],
    [{ text: "今天下雨。我们待在家里看书。", max_length: 8 }, "今天下雨。", true],
    [{ text: "今天下雨，我们待在家里看书。", max_length: 8 }, "今天下雨，…", true],
    [{ text: "one two three four", max_length: 12 }, "one two…", true],
    [{ text: "one two three four", max_length: 12, at: "character", ending: "" }, "one two thre", true],
    [{ text: "👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧", max_length: 2 }, "👨‍👩‍👧…", true],
    [{ text: "😀😀😀", max_length: 1 }, "…", true],
    [{ text: "A. Bcdefghijklmnopqrstuvwxyz", max_length: 20 }, "A. Bcdefghijklmnopq…", true],
  ])("%j as %j", async (options, expected, truncated) => {
    const done = await processText({ operation: "truncate", ...options });
    expect([done.result, done.truncated ?? false]).toEqual([expected, truncated]);
  });
});

describe("text_process encodes and decodes", () => {
  test.each<[NonNullable<TextProcessInput["encoding"]>, string]>([
    ["base64", "5Lit5paHIDxhPiAmICc="],
    ["base64url", "5Lit5paHIDxhPiAmICc"],
    ["hex", "e4b8ade69687203c613e20262027"],
    ["url", "%E4%B8%AD%E6%96%87%20%3Ca%3E%20%26%20'"],
    ["html", "中文 &lt;a&gt; &amp; &#39;"],
    ["json", '"中文 <a> & \'"'],
  ])("%s", async (encoding, encoded) => {
    const text = "中文 <a> & '";
    expect(await give({ operation: "encode", text, encoding })).toBe(encoded);
    expect(await give({ operation: "decode", text: encoded, encoding })).toBe(text);
  });

  test("entities of every kind, once", async () => {
    const text = "&eacute;&#x4e2d;&#20013;&amp;lt;<b>&nosuch; &hellip;";
    expect(await give({ operation: "decode", text, encoding: "html" })).toBe("é中中&lt;<b>&nosuch; …");
  });

  test.each<[NonNullable<TextProcessInput["encoding"]>, string, string]>([
    ["base64", "a", "bad_encoding"],
    ["base64", "****", "bad_encoding"],
    ["base64", "/////w==", "not_text"],
    ["hex", "abc", "bad_encoding"],
    ["url", "%E4%B8", "bad_encoding"],
    ["json", "5", "bad_encoding"],
    ["json", "'a'", "bad_encoding"],
  ])("%s of %j is refused (%s)", async (encoding, text, reason) => {
    await expect(give({ operation: "decode", text, encoding })).rejects.toMatchObject({
      code: "validation_error",
      reason,
    });
  });

  test("hashes", async () => {
    expect(await give({ operation: "hash", text: "abc" })).toBe(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
    expect(await give({ operation: "hash", text: "abc", algorithm: "md5" })).toBe("900150983cd24fb0d6963f7d28e17f72");
  });
});

test("text_process shows the lines in which two texts differ", async () => {
  const result = await give({ operation: "diff", text: "a\nb\nc", other: "a\nB\nc" });
  expect(result).toContain("-b\n+B");
});

interface Repeated {
  readonly $repeat: string;
  readonly n: number;
  readonly prefix: string;
  readonly suffix: string;
}

/** Expands a repetition in a row. */
function unfold(value: unknown): string {
  if (typeof value === "string") return value;
  const { $repeat, n, prefix, suffix } = value as Repeated;
  return prefix + $repeat.repeat(n) + suffix;
}

describe("text_process stands", () => {
  test.each(
    badInputs.filter(({ area }) => area === "regex").map(({ input }) => [input as { pattern: string; value: unknown }]),
  )("the pattern of %j in linear time", async ({ pattern, value }) => {
    const started = performance.now();
    await give({ operation: "replace", text: unfold(value), pattern, replacement: "" });
    await give({ operation: "extract", text: unfold(value), pattern });
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  test.each(
    badInputs
      .filter(({ area }) => area === "regex-load")
      .map(({ input }) => [unfold(input).slice(0, 40), unfold(input)]),
  )("the pattern %s by refusing it", async (_start, pattern) => {
    const result = await engine.call("text_process", { operation: "extract", text: "aaa", pattern });
    expect(result).toMatchObject({ success: false, error: { code: "validation_error", reason: "bad_pattern" } });
  });

  test("a pattern that reads the same text repeatedly, by giving up", async () => {
    let elapsed = 0;
    const clock = { ...systemClock, elapsed: () => (elapsed += 100) };
    const work = processText({ operation: "extract", text: "a".repeat(1_000), pattern: "a*b|a" }, { clock });
    await expect(work).rejects.toMatchObject({ reason: "too_costly" });
  });

  test.each<[string, TextProcessInput]>([
    ["a text that is too long", { operation: "upper", text: "a".repeat(1_000_001) }],
    ["an other text that is too long", { operation: "diff", text: "", other: "a".repeat(1_000_001) }],
    [
      "a replacement that grows without end",
      { operation: "replace", text: "a".repeat(100_000), find: "a", replacement: "b".repeat(100_000) },
    ],
    [
      "a separator that grows",
      { operation: "join", items: Array.from({ length: 10_000 }, () => ""), separator: "b".repeat(10_000) },
    ],
    ["an expanding normal form", { operation: "normalize", text: "\ufdfa".repeat(900_000), steps: ["nfkc"] }],
  ])("%s", async (_name, input) => {
    await expect(give(input)).rejects.toMatchObject({ code: "validation_error", reason: "too_large" });
  });

  test("a pattern's replacement that grows, which on a busy machine may time out first", async () => {
    const input = { operation: "replace", text: "a".repeat(10_000), pattern: "a" } as const;
    const work = give({ ...input, replacement: "$&".repeat(10_000) });
    await expect(work).rejects.toMatchObject({ reason: expect.stringMatching(/^too_(?:large|costly)$/) });
  });

  test.each([
    "a".repeat(1_000_000),
    ".".repeat(999_999) + "x",
    ".!?\"'".repeat(200_000),
    "\n ".repeat(500_000),
    "1,".repeat(500_000),
    "1".repeat(1_000_000),
    "a@".repeat(500_000),
    "a.".repeat(500_000),
    "http://".repeat(140_000),
    `http://a/${")".repeat(900_000)}`,
    "\u0301".repeat(1_000_000),
    "中".repeat(1_000_000),
    "May 1 ".repeat(160_000),
    "&".repeat(1_000_000),
  ])("a million hostile characters in every operation", { timeout: 60_000 }, async (text) => {
    const inputs: TextProcessInput[] = [
      { operation: "count", text },
      { operation: "truncate", text, max_length: 500_000 },
      { operation: "title_case", text },
      { operation: "snake_case", text },
      { operation: "normalize", text },
      { operation: "sort_lines", text },
      { operation: "dedupe_lines", text },
      { operation: "diff", text, other: text.slice(1) },
      { operation: "decode", text, encoding: "html" },
      ...(["emails", "urls", "numbers", "dates"] as const).map(
        (what) => ({ operation: "extract", text, what }) as const,
      ),
    ];
    for (const input of inputs) {
      const started = performance.now();
      await give(input);
      expect([input.operation, input.what, performance.now() - started < 3_000]).toEqual([
        input.operation,
        input.what,
        true,
      ]);
    }
  });
});
