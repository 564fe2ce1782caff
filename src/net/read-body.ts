import { type Readable, type Transform, pipeline } from "node:stream";
import type * as Zlib from "node:zlib";
import { isFailureError } from "../base/index.ts";
import { netFailure } from "./net-reasons.ts";

/** The content codings that the HTTP client accepts. */
export const acceptedCodings = "gzip, br, zstd";

/** Zstandard frames may require up to 2 GiB of memory; HTTP allows 8 MiB. */
const zstdWindowLog = 23;

const codings = ["gzip", "x-gzip", "br", "deflate", "zstd"] as const;
type Coding = (typeof codings)[number];

/** A body, decoded and cut at the caller's limit. */
export interface Body {
  readonly bytes: Uint8Array;
  /** The body was longer than the limit. */
  readonly truncated: boolean;
}

/** Source and limits of {@link readResponseBody}. */
export interface BodySource {
  readonly stream: Readable;
  /** The `content-encoding` header. */
  readonly encoding: string | undefined;
  /** Maximum number of decoded bytes. */
  readonly maxBytes: number;
}

/** Reads a body up to its end or the limit; then the stream is destroyed. */
export async function readResponseBody(source: BodySource): Promise<Body> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of decodeContent(source)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > source.maxBytes) break;
  }
  const bytes = Buffer.concat(chunks, Math.min(size, source.maxBytes));
  return { bytes, truncated: size > source.maxBytes };
}

/** The decoded chunks of a body, as they arrive; stopping the iteration destroys the stream. */
export async function* decodeContent({ stream, encoding, maxBytes }: BodySource): AsyncGenerator<Uint8Array, void> {
  try {
    const coding = codingOf(encoding);
    // A stream without an encoding yields bytes.
    yield* coding === undefined ? (stream as AsyncIterable<Uint8Array>) : decode(stream, coding, maxBytes);
  } finally {
    // The connection is dropped with the unread rest; a late error has no listener.
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
  throw netFailure("bad_encoding", `the body's content coding is ${shown}; one of ${codings.join(", ")} is understood`);
}

async function* decode(stream: Readable, coding: Coding, maxBytes: number): AsyncGenerator<Uint8Array> {
  const source = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>; // As above: bytes.
  const first = await source.next();
  // Servers declare a coding for empty bodies, too; there is nothing to decode then.
  if (first.done === true) return;
  const decoder = createDecoder(await import("node:zlib"), coding, first.value);
  try {
    // Compression may grow a body a little, never by much: more than this is made to keep the reader busy.
    yield* pipeline(
      limitWire(first.value, source, maxBytes + Math.ceil(maxBytes / 8) + 65_536),
      decoder,
      () => {}, // The loop that reads sees the same error.
    );
  } catch (error) {
    throw isDecodeError(error)
      ? netFailure("bad_encoding", `the body is not valid ${coding}`, { cause: error })
      : error;
  }
}

async function* limitWire(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
  limit: number,
): AsyncGenerator<Uint8Array> {
  let wire = 0;
  for (let chunk = first; ;) {
    wire += chunk.length;
    if (wire > limit) throw netFailure("too_large", "the compressed body exceeds the limit for its decoded size");
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
      // Some servers send the bare stream, others wrap it; the wrapper's first byte decides (8 is its only method).
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
