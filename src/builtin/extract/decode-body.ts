/** Source of the charset name. */
export type CharsetSource = "header" | "bom" | "meta" | "sniffed";

/** The text of a body, and how it was encoded. */
export interface DecodedBody {
  readonly text: string;
  /** The WHATWG name, such as `utf-8`, `gbk` or `shift_jis`. */
  readonly charset: string;
  readonly source: CharsetSource;
}

interface Candidate {
  readonly charset: string;
  readonly source: CharsetSource;
}

/** A declaration beyond this is ignored; browsers check 1,024 bytes. */
const declarationBytes = 4096;

/** Enough to distinguish UTF-8 from a wrong declaration. */
const checkedBytes = 65_536;

/**
 * Decodes the text of a body: by its byte order mark, else by the charset that its header or the document declares, else
 * by its bytes. A declaration that is unknown, or claims UTF-8 for other bytes, is ignored.
 *
 * @example
 * ```ts
 * decodeBody(new Uint8Array([0xc4, 0xe3, 0xba, 0xc3]), "text/plain; charset=gb2312");
 * // { text: "你好", charset: "gbk", source: "header" }
 * ```
 */
export function decodeBody(bytes: Uint8Array, contentType?: string): DecodedBody {
  const found = fromMark(bytes) ?? declared(bytes, contentType) ?? sniffed(bytes);
  const text = new TextDecoder(found.charset).decode(bytes);
  return { text, ...found };
}

function fromMark(bytes: Uint8Array): Candidate | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return { charset: "utf-8", source: "bom" };
  if (first === 0xff && second === 0xfe) return { charset: "utf-16le", source: "bom" };
  if (first === 0xfe && second === 0xff) return { charset: "utf-16be", source: "bom" };
  return undefined;
}

function declared(bytes: Uint8Array, contentType: string | undefined): Candidate | undefined {
  // The charset parameter of a content type.
  const header = knownCharset(/;\s*charset\s*=\s*["']?([^\s;"',]+)/i.exec(contentType ?? "")?.[1]);
  if (header !== undefined && fits(bytes, header)) return { charset: header, source: "header" };
  const meta = knownCharset(charsetInside(bytes));
  if (meta !== undefined && fits(bytes, meta)) return { charset: meta, source: "meta" };
  return undefined;
}

function sniffed(bytes: Uint8Array): Candidate {
  return { charset: sniffCharset(bytes.subarray(0, checkedBytes)), source: "sniffed" };
}

/** Returns the charset that the document declares: in an XML declaration, or a meta element outside of comments. */
function charsetInside(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, declarationBytes)).toString("latin1");
  const xml = /^\s*<\?xml[^>]{0,200}?\bencoding\s*=\s*["']([^"']{1,40})/i.exec(head)?.[1];
  const stated = xml ?? metaCharset(head.replaceAll(/<!--.*?(?:-->|$)/gs, ""));
  // A declaration that is readable as ASCII is not UTF-16.
  return stated !== undefined && /^utf-?16/i.test(stated) ? "utf-8" : stated;
}

function metaCharset(head: string): string | undefined {
  for (const [meta] of head.matchAll(/<meta\b[^>]{0,1000}/gi)) {
    const charset = /[\s"'/;]charset\s*=\s*["']?\s*([^\s"'/>;]{1,40})/i.exec(meta)?.[1];
    if (charset !== undefined) return charset;
  }
  return undefined;
}

/** Returns the WHATWG name of a charset; undefined if it cannot be decoded here. */
function knownCharset(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    const { encoding } = new TextDecoder(label);
    return encoding === "x-user-defined" ? undefined : encoding;
  } catch {
    return undefined;
  }
}

/** True if the bytes can be in this charset. Many servers declare everything as UTF-8. */
function fits(bytes: Uint8Array, charset: string): boolean {
  return charset !== "utf-8" || isUtf8(bytes.subarray(0, checkedBytes)) || looksDamaged(bytes);
}

/** True for a few broken bytes in otherwise valid UTF-8, such as a text that was cut or concatenated. */
function looksDamaged(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes.subarray(0, checkedBytes));
  let wide = 0;
  let broken = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0xff_fd) broken++;
    else if (unit > 0x7f) wide++;
  }
  return wide > broken * 10;
}

/** True if the bytes are UTF-8; a character that is cut off at the end is accepted. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** In order of how often they occur without a declaration. */
const guesses: readonly { readonly charset: string; readonly common: keyof typeof commonCharacters }[] = [
  { charset: "gb18030", common: "simplified" },
  { charset: "big5", common: "traditional" },
  { charset: "shift_jis", common: "japanese" },
  { charset: "euc-jp", common: "japanese" },
  { charset: "euc-kr", common: "korean" },
];

/** Below this score, too few of the characters are common ones. */
const convincing = 0.25;

/**
 * Guesses the charset of bytes without a declaration: UTF-8 if they are valid UTF-8, else the East Asian charset under
 * which most characters are common ones, else `windows-1252`, as browsers assume.
 */
function sniffCharset(bytes: Uint8Array): string {
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

/** Returns the share of non-ASCII characters that are common, minus those that cannot be decoded or are private. */
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

/** True for punctuation and full-width forms, which several charsets encode identically. */
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

/** Detects UTF-16 without its mark: much of a document is ASCII, with a zero in every second byte. */
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

/**
 * True if the bytes contain the escape sequences with which ISO-2022-JP switches its sets; all its bytes are below
 * 0x80.
 */
function hasEscapes(bytes: Uint8Array): boolean {
  let found = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte > 0x7f) return false;
    if (byte === 0x1b && bytes[at + 1] === 0x24 && (bytes[at + 2] === 0x42 || bytes[at + 2] === 0x40)) found = true;
  }
  return found;
}

/** Characters that most texts of a script consist of: they show whether bytes were decoded correctly. */
const commonCharacters = {
  simplified:
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运网页版权首登录注册搜索新闻下载联系",
  traditional:
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運網頁版權首登錄註冊搜尋新聞下載聯繫臺灣",
  japanese:
    "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをんがぎぐげござじずぜぞだでどばびぶべぼぱぴぷぺぽっゃゅょアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワンガギグゲゴザジズゼゾダデドバビブベボパピプペポッャュョー、。・日本人年大一国会中出上生者東見的行分後前学時間事自社場発業方新第用",
  korean:
    "이다는에의를하고가을은로도한지기사자대시어있나서리아인그수정주으해일제보들라마부만여장전스상게과성구원면것조니없치안경우습되동국관중입무비공물소유모와까할때신요등말업문화회야교방",
} as const;
