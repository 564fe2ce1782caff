import { describe, expect, test } from "vitest";
import { createEngine } from "../../engine/index.ts";
import {
  type CaptionSegment,
  type TranscriptProvider,
  type TranscriptRequest,
  readCaptions,
  transcribe,
  youtubeTranscriptionTool,
} from "./index.ts";
import { cpuTime } from "../../../test/support/cpu-time.ts";

const engine = createEngine({ tools: [youtubeTranscriptionTool()] });

const vtt = (body: string): string => `WEBVTT\nKind: captions\nLanguage: en\n\n${body}`;
const texts = (segments: readonly CaptionSegment[]): string[] => segments.map(({ text }) => text);

describe("[E09] youtubeTranscription", () => {
  const examples = youtubeTranscriptionTool().input.json["examples"] as Record<string, unknown>[];

  test.each(examples.map((example) => [example]))("runs its example %j", async (example) => {
    expect(await engine.call("youtubeTranscription", example)).toMatchObject({ success: true });
  });

  test("reads supplied captions into segments and text, under both of its names", async () => {
    const transcript = vtt(
      "00:00:01.000 --> 00:00:03.000\nHello &amp; <i>welcome</i>\n\n00:03.500 --> 00:05.000\nto all\n",
    );
    for (const name of ["youtubeTranscription", "youtube_transcription"]) {
      expect(await engine.call(name, { transcript, video_id: "dQw4w9WgXcQ", language: "en" })).toMatchObject({
        success: true,
        output: {
          video_id: "dQw4w9WgXcQ",
          language: "en",
          format: "vtt",
          source: "supplied",
          text: "Hello & welcome\nto all",
          segments: [
            { start: 1, end: 3, text: "Hello & welcome" },
            { start: 3.5, end: 5, text: "to all" },
          ],
          duration: 5,
        },
      });
    }
  });

  test("without a provider reports that it cannot fetch, and what to do", async () => {
    const result = await engine.call("youtubeTranscription", { url: "https://youtu.be/dQw4w9WgXcQ" });
    expect(result).toMatchObject({
      success: false,
      error: {
        code: "not_available",
        reason: "no_transcript_provider",
        retry: "never",
        message: expect.stringContaining("transcript"),
      },
    });
  });

  test.each([
    "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=10s",
    "https://youtu.be/dQw4w9WgXcQ?si=x",
    "https://m.youtube.com/shorts/dQw4w9WgXcQ",
    "youtube.com/embed/dQw4w9WgXcQ",
    "https://www.youtube.com/live/dQw4w9WgXcQ",
    "dQw4w9WgXcQ",
  ])("requests the video of %s from its provider", async (url) => {
    const requested: TranscriptRequest[] = [];
    const transcripts: TranscriptProvider = {
      name: "fake",
      fetch: async (request) => {
        requested.push(request);
        return { captions: "1\n00:00:00,000 --> 00:00:01,000\nhi", title: "A talk", language: "en" };
      },
    };
    const live = createEngine({ tools: [youtubeTranscriptionTool({ transcripts })] });
    const result = await live.call("youtubeTranscription", { url, language: "en", include_segments: false });
    expect(result).toMatchObject({
      success: true,
      output: { source: "fake", title: "A talk", text: "hi", video_id: "dQw4w9WgXcQ" },
    });
    expect(result.success && result.output).not.toHaveProperty("segments");
    expect(requested).toMatchObject([{ videoId: "dQw4w9WgXcQ", language: "en", signal: expect.any(AbortSignal) }]);
    await live.close();
  });

  test.each([
    [{ url: "https://evil.test/watch?v=dQw4w9WgXcQ" }, "bad_video"],
    [{ url: "https://youtube.com.evil.test/watch?v=dQw4w9WgXcQ" }, "bad_video"],
    [{ url: "https://www.youtube.com/watch" }, "bad_video"],
    [{ url: "https://www.youtube.com/watch?v=../../etc" }, "bad_video"],
    [{ video_id: "short" }, "bad_video"],
    [{}, "no_video"],
    [{ transcript: "just words" }, "unknown_captions"],
    [{ transcript: "" }, "unknown_captions"],
    [{ transcript: '{"a":1}' }, "unknown_captions"],
    [{ transcript: "{broken" }, "unknown_captions"],
    [{ transcript: "WEBVTT\n\n" }, "no_captions"],
    [{ transcript: '{"events":[]}' }, "no_captions"],
    [{ transcript: `{"events":${"[".repeat(200_000)}` }, "unknown_captions"],
  ])("refuses %.60j (%s)", async (input, reason) => {
    expect(await engine.call("youtubeTranscription", input)).toMatchObject({
      success: false,
      error: { code: "validation_error", reason },
    });
  });

  test("omits text beyond the requested length, and reports it", async () => {
    const cues = Array.from(
      { length: 100 },
      (_, at) => `${at + 1}\n00:00:${String(at % 60).padStart(2, "0")},000 --> 00:00:59,000\nword ${at}\n`,
    );
    const { text, segments, truncated } = await transcribe({ captions: cues.join("\n"), maxLength: 14 });
    expect([text.length <= 14, segments.length, truncated]).toEqual([true, 2, true]);
  });

  test("returns a part of a first caption that is too long, and no more captions than a result can hold", async () => {
    const long = `1\n00:00:00,000 --> 00:00:01,000\n${"word ".repeat(100)}`;
    expect(await transcribe({ captions: long, maxLength: 12 })).toMatchObject({ text: "word word…", truncated: true });
    const events = Array.from({ length: 30_000 }, (_, at) => ({
      tStartMs: at * 7,
      dDurationMs: 7,
      segs: [{ utf8: "中" }],
    }));
    const transcript = JSON.stringify({ events });
    const result = await engine.call("youtubeTranscription", { transcript, max_length: 1_000_000 });
    expect(result).toMatchObject({ success: true, output: { truncated: true, duration: 210 } });
    expect(result.success && (result.output as { segments: unknown[] }).segments.length).toBe(20_000);
  });

  test("is pure for supplied captions and reads the world for others", () => {
    const { effect } = youtubeTranscriptionTool();
    const of = effect as (args: { transcript?: string }) => string;
    expect([of({ transcript: "x" }), of({})]).toEqual(["pure", "read"]);
  });
});

describe("captions", () => {
  test("SRT may have numbers, commas, blank lines inside, and no blank lines between", () => {
    const srt =
      "\ufeff1\r\n00:00:01,5 --> 00:00:02,25\r\n{\\an8}<b>One</b>\r\n2\r\n01:00:00,000 --> 01:00:01,000\r\nTwo\r\n\r\nstill two\r\n\r\n3\r\n01:00:02,000 --> 01:00:03,000\r\n2026\r\n";
    expect(readCaptions(srt)).toEqual({
      format: "srt",
      broken: 0,
      segments: [
        { start: 1.5, end: 2.25, text: "One" },
        { start: 3600, end: 3601, text: "Two still two" },
        { start: 3602, end: 3603, text: "2026" },
      ],
    });
  });

  test("notes, styles, identifiers and settings of VTT are not part of the text", () => {
    const text = vtt(
      "STYLE\n::cue { color: red }\n\nNOTE a comment\n\nintro\n00:01.000 --> 00:02.000 align:start position:0%\n<v Ann>Hi</v> &lt;all&gt; &amp;lt; &#x4e2d;&#25991; &nosuch;\n",
    );
    expect(texts(readCaptions(text).segments)).toEqual(["Hi <all> &lt; 中文 &nosuch;"]);
  });

  test("parts of JSON3 are joined, newline events are skipped, invalid times are repaired", () => {
    const events = [
      { tStartMs: 0, dDurationMs: 9000, id: 1, wpWinPosId: 1 },
      { tStartMs: 100, dDurationMs: 2000, segs: [{ utf8: "hello" }, { utf8: " world", tOffsetMs: 300 }] },
      { tStartMs: 1500, dDurationMs: 600, aAppend: 1, segs: [{ utf8: "\n" }] },
      { tStartMs: "x", dDurationMs: -5, segs: [{ utf8: "next" }, { no: 1 }, null] },
      null,
      { segs: "none" },
    ];
    expect(readCaptions(JSON.stringify({ wireMagic: "pb3", events }))).toEqual({
      format: "json3",
      broken: 1,
      segments: [
        { start: 0.1, end: 2.1, text: "hello world" },
        { start: 2.1, end: 2.1, text: "next" },
      ],
    });
  });

  test("captions that roll up are returned once", () => {
    const text = vtt(
      [
        "00:00:00.000 --> 00:00:02.000 align:start position:0%\n \nhello<00:00:00.500><c> dear</c><00:00:01.000><c> world</c>",
        "00:00:02.000 --> 00:00:02.010 align:start position:0%\nhello dear world\n ",
        "00:00:02.010 --> 00:00:04.000 align:start position:0%\nhello dear world\nthis<00:00:02.500><c> is</c><00:00:03.000><c> it</c>",
        "00:00:04.000 --> 00:00:04.010 align:start position:0%\nthis is it\n ",
        "00:00:04.010 --> 00:00:06.000 align:start position:0%\nthis is it\nthe<00:00:05.000><c> end</c>",
      ].join("\n\n"),
    );
    expect(readCaptions(text).segments).toEqual([
      { start: 0, end: 2.01, text: "hello dear world" },
      { start: 2.01, end: 4.01, text: "this is it" },
      { start: 4.01, end: 6, text: "the end" },
    ]);
  });

  test("captions that roll up without word times are recognized by their repeated lines", () => {
    const lines = ["one", "two", "three", "four", "five", "six"];
    const cues = lines.map(
      (line, at) => `${at}\n00:00:0${at},000 --> 00:00:0${at + 1},000\n${at > 0 ? `${lines[at - 1]}\n` : ""}${line}\n`,
    );
    expect(texts(readCaptions(cues.join("\n")).segments)).toEqual(lines);
  });

  const srt = (...cues: readonly string[]): string =>
    cues
      .map(
        (text, at) =>
          `${at + 1}\n00:00:${String(at).padStart(2, "0")},000 --> 00:00:${String(at + 1).padStart(2, "0")},000\n${text}\n`,
      )
      .join("\n");

  test.each<[string, readonly string[], string]>([
    ["two cues", ["so today we look", "so today we look\nat the tide mill"], "so today we look at the tide mill"],
    [
      "each line also alone",
      ["so today we look", "so today we look\nat the tide", "at the tide", "at the tide\nin the pond"],
      "so today we look at the tide in the pond",
    ],
    [
      "one line, word by word",
      ["hello", "hello dear", "hello dear world", "this", "this is it"],
      "hello dear world this is it",
    ],
    [
      "each line also alone, two lines joined to one",
      ["so today we look", "so today we look at the tide", "at the tide", "at the tide in the pond"],
      "so today we look at the tide in the pond",
    ],
    [
      "two lines joined to one",
      ["so today we look", "so today we look at the tide", "at the tide mill in", "the tide mill in the pond"],
      "so today we look at the tide mill in the pond",
    ],
    [
      "Chinese, one line",
      ["今天我们来看", "今天我们来看潮汐磨坊", "今天我们来看潮汐磨坊的池塘"],
      "今天我们来看潮汐磨坊的池塘",
    ],
  ])("[H18] plain captions that roll appear once: %s", (_, cues, expected) => {
    const found = texts(readCaptions(srt(...cues)).segments);
    expect(found.join(" ")).toBe(expected);
  });

  test.each<[readonly string[]]>([
    [["No.", "No.\nYes.", "Yes.", "Well."]],
    [["Row, row, row your boat", "Row, row, row your boat", "Gently down the stream", "Gently down the stream"]],
    [["I", "I am here now", "Where are you?", "Over there, by the mill."]],
    [["one two three", "three four five", "five six seven", "seven eight nine"]],
    [["cat", "catalog", "catalogue", "catalogues"]],
  ])("[H18] captions that only look alike stay complete: %j", (cues) => {
    const expected = cues.map((text) => text.replaceAll("\n", " "));
    expect(texts(readCaptions(srt(...cues)).segments)).toEqual(expected);
  });

  test("captions that repeat a text keep it", () => {
    const cues = ["No.", "No.", "Yes.", "Yes."].map(
      (line, at) => `${at}\n00:00:0${at},000 --> 00:00:0${at + 1},000\n${line}\n`,
    );
    expect(texts(readCaptions(cues.join("\n")).segments)).toEqual(["No.", "No.", "Yes.", "Yes."]);
    const doubled = `1\n00:00:01,000 --> 00:00:02,000\nOnce\n\n1\n00:00:01,000 --> 00:00:02,000\nOnce\n`;
    expect(texts(readCaptions(doubled).segments)).toEqual(["Once"]);
  });

  test("captions with invalid times keep their text, in the order of time", () => {
    const text = vtt(
      [
        "00:00:10.000 --> 00:00:05.000\nbackwards",
        "99:99:99.999 --> later\nnonsense",
        "--> \nnothing",
        "00:00:01.000 --> 00:00:02.000\nfirst",
      ].join("\n\n"),
    );
    const { segments, broken } = readCaptions(text);
    expect(broken).toBe(3);
    expect(segments).toEqual([
      { start: 1, end: 2, text: "first" },
      { start: 10, end: 10, text: "backwards" },
      { start: 10, end: 10, text: "nonsense" },
      { start: 10, end: 10, text: "nothing" },
    ]);
  });

  test("invisible characters are removed", () => {
    const text = vtt("00:01.000 --> 00:02.000\n\u202egnorts\u001b[31m \u{e0041}ok\n");
    expect(texts(readCaptions(text).segments)).toEqual(["gnorts ok"]);
  });

  const cue = (at: number, words: string): string => {
    const time = (seconds: number): string =>
      `${String(Math.floor(seconds / 3600)).padStart(2, "0")}:${String(Math.floor(seconds / 60) % 60).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}.000`;
    return `${time(at)} --> ${time(at + 1)}\n${words}\n`;
  };

  test.each<[string, () => string]>([
    [
      "many cues",
      () => vtt(Array.from({ length: 150_000 }, (_, at) => cue(at, `words of cue ${at} &amp; more`)).join("\n")),
    ],
    ["one cue of one line", () => vtt(cue(0, "a ".repeat(5_000_000)))],
    ["one cue of many lines", () => vtt(cue(0, "a\n".repeat(5_000_000)).replaceAll("\n\n", "\n"))],
    ["tags that never close", () => vtt(cue(0, `x ${"<c".repeat(5_000_000)}`))],
    ["references that never end", () => vtt(cue(0, "&#".repeat(5_000_000)))],
    ["braces that never close", () => vtt(cue(0, `x ${"{\\".repeat(5_000_000)}`))],
    ["arrows", () => vtt(`${"-->".repeat(3_000_000)}\nwords\n`)],
    [
      "rolling lines",
      () =>
        vtt(Array.from({ length: 100_000 }, (_, at) => cue(at, `line ${at}\nline ${at + 1}<00:00:00.000>`)).join("\n")),
    ],
    [
      "JSON3",
      () =>
        JSON.stringify({
          events: Array.from({ length: 120_000 }, (_, at) => ({
            tStartMs: at * 10,
            dDurationMs: 10,
            segs: [{ utf8: "word" }],
          })),
        }),
    ],
    ["blanks", () => vtt(cue(0, `x${" ".repeat(9_000_000)}x`))],
  ])("captions of ten megabytes are read in time: %s", { timeout: 30_000 }, (_name, make) => {
    const text = make();
    expect(text.length).toBeLessThanOrEqual(10 * 2 ** 20);
    const started = cpuTime();
    expect(readCaptions(text).segments.length).toBeGreaterThan(0);
    expect(cpuTime() - started).toBeLessThan(5_000);
  });

  test("captions of more than that are refused", () => {
    expect(() => readCaptions(vtt("x".repeat(11 << 20)))).toThrow(/at most/);
  });
});
