import { describe, expect, test } from "vitest";
import { decodeBody } from "./decode-body.ts";

const simplified =
  "每天清晨，港口的调度员先看的不是邮件，而是墙上的潮汐表。水位决定了哪些船可以进港，也决定了工人几点吃饭。";
const traditional =
  "每天清晨，港口的調度員先看的不是郵件，而是牆上的潮汐表。水位決定了哪些船可以進港，也決定了工人幾點吃飯。";
const japanese =
  "毎朝、港の係員が最初に見るのはメールではなく、壁に貼られた潮汐表です。水位が、どの船が入れるかを決めます。";
const korean =
  "매일 아침 항구의 관리자는 메일이 아니라 벽에 걸린 물때표를 먼저 봅니다. 수위가 어떤 배가 들어올 수 있는지 정합니다.";
const samples = [
  ["gbk", "gb18030", simplified],
  ["big5", "big5", traditional],
  ["shift_jis", "shift_jis", japanese],
  ["euc-jp", "euc-jp", japanese],
  ["euc-kr", "euc-kr", korean],
] as const;

/** Encodes with the inverse of the decoder's table of byte pairs. */
function encode(text: string, charset: string): Uint8Array {
  const table = new Map<string, readonly number[]>();
  const decoder = new TextDecoder(charset);
  for (let lead = 0x81; lead <= 0xfe; lead++) {
    for (let trail = 0x40; trail <= 0xfe; trail++) {
      const character = decoder.decode(new Uint8Array([lead, trail]));
      if (Array.from(character).length === 1 && character !== "\ufffd" && !table.has(character))
        table.set(character, [lead, trail]);
    }
  }
  const bytes = Array.from(text).flatMap((character) => {
    const code = character.codePointAt(0) ?? 0;
    const found = code < 0x80 ? [code] : table.get(character);
    if (found === undefined) throw new Error(`${charset} has no ${character}`);
    return found;
  });
  return new Uint8Array(bytes);
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const html = (head: string, body: string): string =>
  `<!doctype html><html><head>${head}</head><body>${body}</body></html>`;

describe.each(samples)("bytes in %s", (charset, sniffed, text) => {
  const body = html("<title>x</title>", `<p class="a">${text}</p>`);

  test("are decoded according to the header", () => {
    const found = decodeBody(encode(body, charset), `text/html; charset="${charset.toUpperCase()}"`);
    expect(found).toEqual({ text: body, charset, source: "header" });
  });

  test("are decoded as the document declares", () => {
    const stated = html(`<meta http-equiv="Content-Type" content="text/html; charset=${charset}">`, text);
    expect(decodeBody(encode(stated, charset), "text/html")).toEqual({ text: stated, charset, source: "meta" });
  });

  test("are recognized without a declaration", () => {
    expect(decodeBody(encode(body, charset))).toEqual({ text: body, charset: sniffed, source: "sniffed" });
    expect(decodeBody(encode(text, charset), "text/plain").charset).toBe(sniffed);
    expect(decodeBody(encode(text.slice(0, 12), charset)).text).toBe(text.slice(0, 12));
  });

  test("are recognized even if they are declared as UTF-8", () => {
    const stated = html(`<meta charset=utf-8>`, text);
    expect(decodeBody(encode(stated, charset), "text/html; charset=utf-8").text).toBe(stated);
  });
});

describe("other bytes", () => {
  test("a byte order mark takes precedence, and is not part of the text", () => {
    const marked = new Uint8Array([0xef, 0xbb, 0xbf, ...utf8("é")]);
    expect(decodeBody(marked, "text/html; charset=gbk")).toEqual({ text: "é", charset: "utf-8", source: "bom" });
    const wide = new Uint8Array([0xff, 0xfe, 0x60, 0x4f, 0x7d, 0x59]);
    expect(decodeBody(wide)).toEqual({ text: "你好", charset: "utf-16le", source: "bom" });
    const big = new Uint8Array([0xfe, 0xff, 0x4f, 0x60, 0x59, 0x7d]);
    expect(decodeBody(big)).toEqual({ text: "你好", charset: "utf-16be", source: "bom" });
  });

  test("UTF-8 is recognized, even if it is cut in the middle of a character", () => {
    expect(decodeBody(utf8("naïve 你好"))).toEqual({ text: "naïve 你好", charset: "utf-8", source: "sniffed" });
    expect(decodeBody(utf8("你好你好").subarray(0, 11)).charset).toBe("utf-8");
    expect(decodeBody(new Uint8Array())).toEqual({ text: "", charset: "utf-8", source: "sniffed" });
  });

  test("UTF-8 with a broken byte stays UTF-8 if it is declared", () => {
    const broken = new Uint8Array([...utf8("你好世界".repeat(20)), 0xff, ...utf8("再见")]);
    expect(decodeBody(broken, "text/html; charset=utf-8")).toMatchObject({ charset: "utf-8", source: "header" });
  });

  test("windows-1252 is the fallback", () => {
    const bytes = new Uint8Array([
      ...utf8("caf"),
      0xe9,
      ...utf8(" na"),
      0xef,
      ...utf8("ve "),
      0x93,
      ...utf8("x"),
      0x94,
    ]);
    expect(decodeBody(bytes)).toEqual({ text: "café naïve “x”", charset: "windows-1252", source: "sniffed" });
  });

  test("UTF-16 without a mark and ISO-2022-JP are recognized", () => {
    const wide = Buffer.from("<html><body>hello 你好</body></html>", "utf16le");
    expect(decodeBody(wide)).toMatchObject({ charset: "utf-16le", text: "<html><body>hello 你好</body></html>" });
    const escaped = Buffer.from("\u001b$B$3$s\u001b(B ok", "latin1");
    expect(decodeBody(escaped)).toEqual({ text: "こん ok", charset: "iso-2022-jp", source: "sniffed" });
  });

  test("an unknown charset, or a declaration in a comment, is ignored", () => {
    expect(decodeBody(utf8("é"), "text/html; charset=klingon")).toMatchObject({ text: "é", source: "sniffed" });
    const hidden = html(`<!-- <meta charset="gbk"> -->`, "é");
    expect(decodeBody(utf8(hidden))).toMatchObject({ text: hidden, charset: "utf-8", source: "sniffed" });
    const xml = `<?xml version="1.0" encoding="ISO-8859-1"?><a>caf\u00e9</a>`;
    expect(decodeBody(Buffer.from(xml, "latin1"))).toEqual({ text: xml, charset: "windows-1252", source: "meta" });
    const lying = html(`<meta charset="utf-16">`, "é");
    expect(decodeBody(utf8(lying))).toMatchObject({ charset: "utf-8", source: "meta" });
  });
});
