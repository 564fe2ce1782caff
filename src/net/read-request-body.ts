/** Reads the body of a request as text, up to a size. Undefined if it is larger; the rest is not read. */
export async function readRequestBody(request: Request, maxBytes: number): Promise<string | undefined> {
  const bytes = await readRequestBytes(request, maxBytes);
  return bytes && new TextDecoder().decode(bytes);
}

/** Reads the body of a request, up to a size. Undefined if it is larger. */
export async function readRequestBytes(request: Request, maxBytes: number): Promise<Uint8Array | undefined> {
  const { body, headers } = request;
  if (Number(headers.get("content-length") ?? 0) > maxBytes) return undefined;
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as ReadableStream<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
