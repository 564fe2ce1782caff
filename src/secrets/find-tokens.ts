import { findCurlUsers } from "./curl-users.ts";
import type { Span } from "./find-secrets.ts";
import { quotedEnd } from "./quoted-end.ts";
import { isSecretName } from "./secret-names.ts";

/** Text without any of these holds nothing that the shapes below could find. */
const mayHold =
  /bearer|basic|authori|cookie|passw|passphrase|pwd|secret|token|key|credential|密码|口令|密钥|令牌|凭证|:\/\/|[?&]sig|sk[-_]|rk_|gh[a-z]_|github_pat|glpat|xox|xapp|A[KS]IA|AIza|ya29|npm_|pypi-|hf_|SG\.|eyJ|PRIVATE|do[opr]_v1|whsec_|\d{8}:|curl|otp|jwt|sess(?:ion)?[-_]?id/i;

/**
 * Tokens that tell themselves apart. Every shape either starts where no word runs on, or consumes what it scanned,
 * so that no text makes them quadratic.
 */
const tokens =
  /(?<![A-Za-z\d])(?:sk-[\w-]{16,}|[srp]k_(?:live|test)_[A-Za-z\d]{16,}|gh[a-z]_[A-Za-z\d]{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|xox[a-z]-[\w-]{10,}|xapp-[\w-]{10,}|A[KS]IA[A-Z\d]{16}|AIza[\w-]{35}|ya29\.[\w-]{20,}|npm_[A-Za-z\d]{36}|pypi-[\w-]{20,}|hf_[A-Za-z\d]{20,}|SG\.[\w-]{16,64}\.[\w-]{16,}|do[opr]_v1_[a-f\d]{32,}|whsec_[A-Za-z\d+/]{16,}={0,2}|AGE-SECRET-KEY-[A-Z\d-]{20,})|(?<![\w.-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g;

/** From the first line to the last, or as far as a key reaches where the text was cut off. */
const pem =
  /-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){0,16384}(?:-----END [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/g;

/** `123456789:AA…`, the token of a Telegram bot; in its URLs `bot` stands right before. Longer or shorter is another id. */
const botTokens = /(?:(?<![A-Za-z\d])|(?<=bot))\d{8,10}:(?=[\w-]{0,34}[A-Z])[\w-]{35}(?![\w-])/g;

const schemes = /(?<![\w-])(bearer|basic)(\s{1,8})([\w.~+/=-]{8,})/gi;

const urlUsers = /(?<![a-z\d+.-])[a-z][a-z\d+.-]{1,20}:\/\/([^\s/?#"'<>]+)@/gi;

/** `name=`, `name: `, `"name":"`, `\"name\":\"` and the like, up to where the value starts. */
const assignments =
  /(?<![\p{L}\d_.-])([\p{L}_][\p{L}\d_.-]{0,63})(?:\\{0,7}["'])?[^\S\n]{0,4}([:=：])[^\S\n]{0,4}(\\{0,7}["'])?/gu;

/** Where secrets of a known shape, or under a telling name, stand in a text. */
export function findTokens(text: string): Span[] {
  if (!mayHold.test(text)) return [];
  const spans: Span[] = [];
  for (const shape of [pem, botTokens]) {
    for (const match of text.matchAll(shape)) spans.push([match.index, match.index + match[0].length]);
  }
  for (const match of text.matchAll(tokens)) {
    // `sk-learn-based-something` is a word, a key has digits.
    if (/\d/.test(match[0])) spans.push([match.index, match.index + match[0].length]);
  }
  for (const match of text.matchAll(schemes)) {
    const [whole, scheme = "", , credentials = ""] = match;
    if (looksIssued(scheme, credentials)) {
      spans.push([match.index + whole.length - credentials.length, match.index + whole.length]);
    }
  }
  for (const match of text.matchAll(urlUsers)) {
    const end = match.index + match[0].length - 1;
    spans.push([end - (match[1] ?? "").length, end]);
  }
  findCurlUsers(text, spans);
  findAssigned(text, spans);
  return spans;
}

/** "Bearer authentication" and "basic understanding" are prose. */
function looksIssued(scheme: string, credentials: string): boolean {
  if (scheme.toLowerCase() === "basic") return Buffer.from(credentials, "base64").includes(":");
  return credentials.length >= 20 || /\d|[a-z][A-Z]/.test(credentials);
}

function findAssigned(text: string, spans: Span[]): void {
  assignments.lastIndex = 0;
  for (let match = assignments.exec(text); match !== null; match = assignments.exec(text)) {
    const [whole, name = "", sign = "", quote = ""] = match;
    const start = match.index + whole.length;
    if (!isTelling({ text, at: match.index, start, name, sign, quoted: quote !== "" })) {
      // The value may itself be an assignment: `set=password=x`.
      assignments.lastIndex = match.index + name.length;
      continue;
    }
    const end = quote === "" ? bareEnd(text, start, isHeader(name) && sign === ":") : quotedEnd(text, start, quote);
    if (end > start) spans.push([start, end]);
    assignments.lastIndex = Math.max(end, start);
  }
}

interface Assignment {
  readonly text: string;
  readonly at: number;
  /** Where the value starts. */
  readonly start: number;
  readonly name: string;
  readonly sign: string;
  readonly quoted: boolean;
}

function isTelling({ text, at, start, name, sign, quoted }: Assignment): boolean {
  const inQuery = sign === "=" && (text[at - 1] === "?" || text[at - 1] === "&");
  if (inQuery && /^(?:key|sig|signature|x-amz-(?:signature|credential))$/i.test(name)) return true;
  if (!isSecretName(name)) return false;
  // In prose a word and a colon introduce a sentence: "secret: it is a test".
  if (sign === "=" || quoted || !/^(?:token|secrets?|credentials?|bearer|jwt|t?otp)$/i.test(name)) return true;
  return /otp$/i.test(name) && /^\d{4,10}(?!\w)/.test(text.slice(start, start + 11));
}

function isHeader(name: string): boolean {
  return /(?:authorization|cookie)$/i.test(name);
}

const bareValue = /(?!(?:null|true|false|undefined)\b)[^\s,;&"'<>(){}[\]]*/y;
const restOfLine = /[^\r\n"']*/y;

/** The end of an unquoted value: of a header the rest of the line, else the next separator. */
function bareEnd(text: string, start: number, header: boolean): number {
  const pattern = header ? restOfLine : bareValue;
  pattern.lastIndex = start;
  return start + (pattern.exec(text)?.[0].length ?? 0);
}
