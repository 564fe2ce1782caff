import { type Readable, type Transform, pipeline } from "node:stream";
import type * as Zlib from "node:zlib";
import { isFailureError } from "../base/index.ts";
import { refuse } from "./net-reasons.ts";

/** The content codings that the door asks for and understands. */
export const acceptedCodings = "gzip, br, zstd";

/** Zstandard frames may ask for up to 2 GiB of memory; HTTP allows 8 MiB. */
const zstdWindowLog = 23;

const codings = ["gzip", "x-gzip", "br", "deflate", "zstd"] as const;
type Coding = (typeof codings)[number];

/** A body, decoded and cut at the caller's limit. */
export interface Body {
  readonly bytes: Uint8Array;
  /** The body was longer than the limit. */
  readonly truncated: boolean;
}

/** What {@link readBody} reads, and how much of it. */
export interface BodySource {
  readonly stream: Readable;
  /** The `content-encoding` header. */
  readonly encoding: string | undefined;
  /** The most decoded bytes. */
  readonly maxBytes: number;
}

/** Reads a body to its end or to the limit, whichever comes first; then the stream is destroyed. */
export async function readBody(source: BodySource): Promise<Body> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of decodeBody(source)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > source.maxBytes) break;
  }
  const bytes = Buffer.concat(chunks, Math.min(size, source.maxBytes));
  return { bytes, truncated: size > source.maxBytes };
}

/** The decoded pieces of a body, as they arrive; whoever stops reading destroys the stream. */
export async function* decodeBody({ stream, encoding, maxBytes }: BodySource): AsyncGenerator<Uint8Array, void> {
  try {
    const coding = codingOf(encoding);
    // A stream without an encoding yields bytes.
    yield* coding === undefined ? (stream as AsyncIterable<Uint8Array>) : decode(stream, coding, maxBytes);
  } finally {
    // Whatever is left unread is not worth the connection; a late error of it concerns nobody.
    stream.on("error", () => {}).destroy();
  }
}

/** The one coding of a body. Stacked codings are refused: each of them multiplies what one byte can grow to. */
function codingOf(header: string | undefined): Coding | undefined {
  const names = (header ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length === 0) return undefined;
  const coding = codings.find((known) => known === names[0]);
  if (names.length === 1 && coding !== undefined) return coding;
  const shown = JSON.stringify(names.join(", ").slice(0, 60));
  throw refuse("bad_encoding", `the body's content coding is ${shown}; one of ${codings.join(", ")} is understood`);
}

async function* decode(stream: Readable, coding: Coding, maxBytes: number): AsyncGenerator<Uint8Array> {
  const source = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>; // As above: bytes.
  const first = await source.next();
  // Servers declare a coding for bodies that turn out empty; there is nothing to decode then.
  if (first.done === true) return;
  const decoder = createDecoder(await import("node:zlib"), coding, first.value);
  try {
    yield* pipeline(
      limitWire(first.value, source, wireLimit(maxBytes)),
      decoder,
      () => {}, // The loop that reads sees the same error.
    );
  } catch (error) {
    throw isDecodeError(error) ? refuse("bad_encoding", `the body is not valid ${coding}`, { cause: error }) : error;
  }
}

/** Compression may grow a body a little, never by much: more than this is made to keep the reader busy. */
function wireLimit(maxBytes: number): number {
  return maxBytes + Math.ceil(maxBytes / 8) + 65_536;
}

async function* limitWire(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
  limit: number,
): AsyncGenerator<Uint8Array> {
  let wire = 0;
  for (let chunk = first; ;) {
    wire += chunk.length;
    if (wire > limit) throw refuse("too_large", "the compressed body is larger than what it may unpack to");
    yield chunk;
    const next = await rest.next();
    if (next.done === true) return;
    chunk = next.value;
  }
}

function createDecoder(zlib: typeof Zlib, coding: Coding, first: Uint8Array): Transform {
  switch (coding) {
    case "gzip":
    case "x-gzip":
      return zlib.createGunzip();
    case "br":
      return zlib.createBrotliDecompress();
    case "zstd":
      return zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: zstdWindowLog } });
    case "deflate":
      // Some servers send the bare stream, others wrap it; the wrapper's first byte tells (8 is its only method).
      return ((first[0] ?? 0) & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw();
    default:
      return coding satisfies never;
  }
}

/** Decoders fail with codes such as `Z_DATA_ERROR`, `ERR__ERROR_FORMAT_PADDING_1` and `ZSTD_error_prefix_unknown`. */
function isDecodeError(error: unknown): boolean {
  if (isFailureError(error) || !(error instanceof Error) || !("code" in error)) return false;
  return /^(?:Z_|ZSTD_|ERR_(?:_|BROTLI|ZSTD|ZLIB))/.test(String(error.code));
}
