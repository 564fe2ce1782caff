import { isFailureError } from "../../base/index.ts";
import type { ResultOwner } from "../../hub/index.ts";
import { readRequestBytes } from "../../net/index.ts";
import { isRecord } from "../../schema/index.ts";
import { commonHeaders } from "../request/common-headers.ts";
import { type Handlers, type ServerRequest, refusal } from "../request/handler.ts";

/** Maximum size of a file. In base64 it fits into the result store. */
const maxFileBytes = 10 << 20;

/** The owner of a file's handle in the result store. */
const fileTool = "upload_file";

/** Large results and files, for the tokens that stored them. */
export function resultRoutes(): Handlers<"get_result" | "upload_file"> {
  return {
    get_result: async (request) => {
      const { workspace, params, headers } = request;
      const { tool, output } = await workspace.resultStore.get(params.handle, ownerOf(request)).catch(notFound);
      const content = tool === fileTool && isStoredFile(output) ? fileContent(output) : resultContent(tool, output);
      return sendRange(content, headers.get("range"));
    },
    upload_file: async (request) => {
      const { workspace, query, headers } = request;
      const mediaType = headers.get("content-type") ?? "application/octet-stream";
      if (!mediaTypeForm.test(mediaType))
        throw refusal("unsupported_media_type", "the content-type is not a media type such as image/png");
      const bytes = await readRequestBytes(request.request, maxFileBytes);
      if (bytes === undefined) throw refusal("too_large", `the file is larger than ${maxFileBytes} bytes`);
      if (bytes.length === 0) throw refusal("bad_request", "send the bytes of the file as the body");
      const { name } = query;
      const file = { media_type: mediaType, ...(name !== undefined && { name }) };
      const output = { ...file, data: Buffer.from(bytes).toString("base64") };
      const handle = await workspace.resultStore.put({ tool: fileTool, output }, ownerOf(request));
      if (handle === undefined) throw refusal("too_large", "the file is too large for the result store");
      return { handle, ...file, bytes: bytes.length };
    },
  };
}

/** A result of someone else is as unknown as one that does not exist. */
function notFound(error: unknown): never {
  if (isFailureError(error) && error.code === "not_available")
    throw refusal("not_found", error.message, { ...(error.reason !== undefined && { reason: error.reason }) });
  throw error;
}

const mediaTypeForm = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(?:\s*;\s*[\w-]+=[\w."-]{1,100}){0,5}$/;

function ownerOf({ caller, query }: Pick<ServerRequest<"get_result">, "caller" | "query">): ResultOwner {
  return { principal: caller.principal, conversationId: query.conversation };
}

/** A file as it is stored. */
interface StoredFile {
  readonly media_type: string;
  readonly name?: string;
  readonly data: string;
}

function isStoredFile(output: unknown): output is StoredFile {
  return isRecord(output) && typeof output["data"] === "string" && typeof output["media_type"] === "string";
}

interface Content {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly name: string;
}

function fileContent({ media_type: type, name = "file", data }: StoredFile): Content {
  return { bytes: new Uint8Array(Buffer.from(data, "base64")), type, name };
}

function resultContent(tool: string, output: unknown): Content {
  const isText = typeof output === "string";
  const text = isText ? output : JSON.stringify(output, undefined, 2);
  const type = isText ? "text/plain; charset=utf-8" : "application/json";
  return { bytes: new TextEncoder().encode(text), type, name: `${tool}.${isText ? "txt" : "json"}` };
}

/** Sends all or one range. It is an attachment, so that no browser shows it as a page of this server. */
function sendRange({ bytes, type, name }: Content, range: string | null): Response {
  const headers = {
    ...commonHeaders,
    "content-type": type,
    "content-disposition": `attachment; filename="${name.replaceAll(/[^\w.-]/g, "_")}"; filename*=UTF-8''${encodeURIComponent(name.toWellFormed())}`,
    "accept-ranges": "bytes",
  };
  const part = range === null ? undefined : rangeOf(range, bytes.length);
  if (part === undefined) return new Response(bytes, { headers });
  if (part === "unsatisfiable")
    return new Response(null, { status: 416, headers: { ...headers, "content-range": `bytes */${bytes.length}` } });
  const { start, end } = part;
  const inside = { ...headers, "content-range": `bytes ${start}-${end}/${bytes.length}` };
  return new Response(bytes.slice(start, end + 1), { status: 206, headers: inside });
}

interface ByteRange {
  readonly start: number;
  /** Inclusive. */
  readonly end: number;
}

/** One range of bytes (RFC 9110); undefined if the header is not one, so that all is sent. */
function rangeOf(header: string, size: number): ByteRange | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header) ?? [];
  if (first === "") return last === "" ? undefined : within(Math.max(0, size - Number(last)), size - 1, size);
  if (last !== "" && Number(last) < Number(first)) return undefined;
  return within(Number(first), last === "" ? size - 1 : Math.min(Number(last), size - 1), size);
}

function within(start: number, end: number, size: number): ByteRange | "unsatisfiable" {
  return start < size && start <= end ? { start, end } : "unsatisfiable";
}
