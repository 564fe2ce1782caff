/**
 * Decodes the text of a note: UTF-8 or, with a byte order mark, UTF-16; other bytes are decoded as GB 18030, which
 * older Chinese notes use. Returns undefined for binary content.
 */
export function decodeNote(bytes: Buffer): string | undefined {
  const utf16 =
    bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff && "utf-16be";
  if (utf16 !== false) return new TextDecoder(utf16).decode(bytes);
  if (bytes.subarray(0, 8192).includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return decodeOther(bytes);
  }
}

function decodeOther(bytes: Buffer): string {
  try {
    return new TextDecoder("gb18030", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("utf-8").decode(bytes);
  }
}
