import { commonCharacters } from "./common-characters.ts";
import { isUtf8 } from "./is-utf8.ts";

interface Guess {
  readonly charset: string;
  readonly common: keyof typeof commonCharacters;
}

/** In the order of how often they are met without being declared. */
const guesses: readonly Guess[] = [
  { charset: "gb18030", common: "simplified" },
  { charset: "big5", common: "traditional" },
  { charset: "shift_jis", common: "japanese" },
  { charset: "euc-jp", common: "japanese" },
  { charset: "euc-kr", common: "korean" },
];

/** Below this, too few of the characters are ones that people use. */
const convincing = 0.25;

/**
 * The charset that bytes without a declaration look like: UTF-8 where they are valid UTF-8, else the East Asian charset
 * under which most characters are common ones, else `windows-1252`, as browsers assume.
 */
export function sniffCharset(bytes: Uint8Array): string {
  const wide = sniffUtf16(bytes);
  if (wide !== undefined) return wide;
  if (hasEscapes(bytes)) return "iso-2022-jp";
  if (isUtf8(bytes)) return "utf-8";
  let best = { charset: "windows-1252", score: convincing };
  for (const { charset, common } of guesses) {
    const score = scoreOf(new TextDecoder(charset).decode(bytes, { stream: true }), setOf(common));
    if (score > best.score) best = { charset, score };
  }
  return best.charset;
}

/** How much of what is not ASCII is common, less what cannot be decoded or is a private character. */
function scoreOf(text: string, common: ReadonlySet<string>): number {
  let seen = 0;
  let hits = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x80 || isShared(code)) continue;
    seen++;
    if (common.has(character)) hits++;
    else if (code === 0xff_fd || (code >= 0xe0_00 && code <= 0xf8_ff)) hits -= 4;
  }
  return seen === 0 ? 0 : hits / seen;
}

/** Punctuation and full-width forms: several charsets have them in the same place. */
function isShared(code: number): boolean {
  return (code >= 0x30_00 && code <= 0x30_02) || (code >= 0xff_01 && code <= 0xff_5e);
}

const sets = new Map<string, ReadonlySet<string>>();

function setOf(name: keyof typeof commonCharacters): ReadonlySet<string> {
  let found = sets.get(name);
  if (found === undefined) {
    found = new Set(commonCharacters[name]);
    sets.set(name, found);
  }
  return found;
}

/** UTF-16 without its mark: in a document, much is ASCII, with a zero in every second place. */
function sniffUtf16(bytes: Uint8Array): string | undefined {
  const length = Math.min(bytes.length, 1024) & ~1;
  if (length < 4) return undefined;
  const zeros = [0, 0];
  for (let at = 0; at < length; at++) if (bytes[at] === 0) zeros[at & 1] = (zeros[at & 1] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const many = length * 0.2;
  if (odd > many && even < odd / 20) return "utf-16le";
  return even > many && odd < even / 20 ? "utf-16be" : undefined;
}

/** The escape sequences with which ISO-2022-JP changes between its sets. Nothing else of it is above 0x7f. */
function hasEscapes(bytes: Uint8Array): boolean {
  let found = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte > 0x7f) return false;
    if (byte === 0x1b && bytes[at + 1] === 0x24 && (bytes[at + 2] === 0x42 || bytes[at + 2] === 0x40)) found = true;
  }
  return found;
}
