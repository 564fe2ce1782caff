import { describe, expect, test } from "vitest";
import { decodeText, encodeText } from "./index.ts";

const path = "a.txt";

describe("bytes are read", () => {
  test.each([
    ["plain UTF-8", Buffer.from("héllo 中"), { text: "héllo 中", encoding: "utf-8", bom: false, lossy: false }],
    ["UTF-8 with a mark", Buffer.from("\ufeffhi"), { text: "hi", encoding: "utf-8", bom: true, lossy: false }],
    ["UTF-16 LE", Buffer.from("\ufeff你", "utf16le"), { text: "你", encoding: "utf-16le", bom: true, lossy: false }],
    [
      "UTF-16 BE",
      Buffer.from("\ufeff你", "utf16le").swap16(),
      { text: "你", encoding: "utf-16be", bom: true, lossy: false },
    ],
    ["nothing", Buffer.alloc(0), { text: "", encoding: "utf-8", bom: false, lossy: false }],
    ["Latin-1, lossy", Buffer.from([0x63, 0xe9]), { text: "c\ufffd", encoding: "utf-8", bom: false, lossy: true }],
  ])("%s is decoded", (_name, bytes, expected) => {
    expect(decodeText(bytes, { path })).toEqual(expected);
  });

  test("a named encoding is used", () => {
    const bytes = Buffer.from([0xc4, 0xe3, 0xba, 0xc3]);
    expect(decodeText(bytes, { path, encoding: "GB2312" })).toMatchObject({ text: "你好", encoding: "gbk" });
    expect(decodeText(Buffer.from([0xe9]), { path, encoding: "latin1" })).toMatchObject({ text: "é", lossy: false });
  });

  test("half characters at either end are omitted", () => {
    const bytes = Buffer.from("中文字");
    expect(decodeText(bytes.subarray(0, 7), { path, cut: true })).toMatchObject({ text: "中文", lossy: false });
    expect(decodeText(bytes.subarray(2), { path, from: "middle" })).toMatchObject({ text: "文字", lossy: false });
  });
});

test.each([
  [Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]), undefined, "binary"],
  [Buffer.from("x"), "nonsense", "bad_encoding"],
])("%j is refused (%s)", (bytes, encoding, reason) => {
  const options = encoding === undefined ? { path } : { path, encoding };
  expect(() => decodeText(bytes, options)).toThrow(expect.objectContaining({ reason }));
});

test.each(["utf-8", "utf-16le", "utf-16be"])("%s is encoded back to the same bytes", (encoding) => {
  const bytes = encodeText("a中😀", { encoding, bom: true });
  expect(decodeText(bytes ?? Buffer.alloc(0), { path })).toEqual({ text: "a中😀", encoding, bom: true, lossy: false });
  expect(encodeText("x", { encoding: "gbk", bom: false })).toBeUndefined();
});
