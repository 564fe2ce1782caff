import { describe, expect, test } from "vitest";
import { createRedactor } from "./redactor.ts";
import { cpuTime } from "../../test/support/cpu-time.ts";

const secret = "hunter2<secret>&\"long'value";
const redactor = createRedactor([secret, "correct-horse-battery-staple", "abcd"]);
const base64 = Buffer.from(`${secret}${secret}${secret}`).toString("base64");
const wrapped = (width: number, separator: string): string =>
  base64.replace(new RegExp(`.{${width}}`, "g"), (line) => line + separator);

function unicode(text: string): string {
  return text.replace(/[<>&'"]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

describe("[S15] secrets that escapes or line breaks interrupt are redacted", () => {
  test.each([
    ["base64 in lines of 76", wrapped(76, "\n")],
    ["base64 in lines of 20", wrapped(20, "\r\n")],
    ["base64 with indentation", wrapped(30, "\n    ")],
    ["base64 with escaped line breaks", wrapped(30, "\\n")],
    ["base64 with escaped line breaks in JSON in JSON", wrapped(30, "\\\\r\\\\n")],
  ])("%s", (_name, text) => {
    const shown = redactor.text(`before ${text} after`);
    for (let at = 0; at + 12 < base64.length; at += 4) expect(shown).not.toContain(base64.slice(at, at + 12));
    expect(shown).toMatch(/^before .* after$/s);
  });

  test.each([
    ["\\u003c escapes", unicode(secret)],
    ["upper-case escapes", unicode(secret).replaceAll("003c", "003C").replaceAll("003e", "003E")],
    ["escapes in JSON in JSON", unicode(secret).replaceAll("\\", "\\\\")],
    ["decimal entities", secret.replace(/[<>&'"]/g, (mark) => `&#${mark.charCodeAt(0)};`)],
    [
      "entities of every character",
      secret
        .split("")
        .map((mark) => `&#${mark.charCodeAt(0)};`)
        .join(""),
    ],
    [
      "hexadecimal entities",
      secret
        .split("")
        .map((mark) => `&#x${mark.charCodeAt(0).toString(16)};`)
        .join(""),
    ],
    [
      "padded entities, escaped again",
      secret
        .split("")
        .map((mark) => `&amp;#0${mark.charCodeAt(0)};`)
        .join(""),
    ],
    ["two lines", "hunter2<sec\nret>&\"long'value"],
  ])("%s", (_name, text) => {
    expect(redactor.text(`before ${text} after\nnext`)).toBe("before [redacted] after\nnext");
  });

  test("a short match over a line break is not redacted, and text around a secret stays", () => {
    expect(redactor.text("ab\ncd")).toBe("ab\ncd");
    expect(redactor.text("x\n\n  correct-horse-battery-staple\n\ny &#60; \\u003c")).toBe(
      "x\n\n  [redacted]\n\ny &#60; \\u003c",
    );
  });

  test.each(["stream", "knownStream"] as const)("at any chunk boundary of a %s", (kind) => {
    for (const text of [
      `a ${unicode(secret)} b\n`,
      `a ${secret
        .split("")
        .map((mark) => `&#${mark.charCodeAt(0)};`)
        .join("")} b\n`,
      "key: correct-horse-\nbattery-staple\nnext line\n",
    ]) {
      const whole = redactor.knownText(text);
      expect(whole).toContain("[redacted]");
      for (let cut = 0; cut <= text.length; cut++) {
        const stream = redactor[kind]();
        expect(stream.write(text.slice(0, cut)) + stream.write(text.slice(cut)) + stream.end()).toBe(whole);
      }
      const stream = redactor[kind]();
      expect(
        text
          .split("")
          .map((char) => stream.write(char))
          .join("") + stream.end(),
      ).toBe(whole);
    }
  });

  test("half of a secret at the end or the beginning of a log line", () => {
    const whole = "correct-horse-battery-staple";
    for (let cut = 1; cut < whole.length; cut++) {
      const lines = [`the key is ${whole.slice(0, cut)}`, `${whole.slice(cut)} as you know`].map(redactor.line);
      expect(lines.join("")).toContain("[redacted]");
      expect(lines.join("")).not.toContain(whole);
      expect(lines[0]).toMatch(/^the key is /);
      expect(lines[1]).toMatch(/ as you know$/);
    }
    expect(redactor.line("a correct answer")).toBe("a correct answer");
  });
});

test.each(["\\", "\\u", "\\u00", "&", "&amp;", "&#", "&#1", "\n", "\\n", "\r\n   ", "hunter2\n"])(
  "[S15] a megabyte of %j takes linear time",
  (piece) => {
    const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
    const start = cpuTime();
    redactor.text(text);
    redactor.line(text);
    const stream = redactor.knownStream();
    for (let at = 0; at < 100_000; at += 100) stream.write(text.slice(at, at + 100));
    stream.end();
    expect(cpuTime() - start).toBeLessThan(6_000);
  },
);
