import { createChatMender } from "./mend-chat.ts";

/** A `fetch` whose answers of the OpenAI protocol are mended before the client sees them. */
export function mendingFetch(inner: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, init);
    const { body, status, headers } = response;
    if (body === null || status >= 400) return response;
    const mend = createChatMender();
    const isStream = (headers.get("content-type") ?? "").includes("text/event-stream");
    const mended = isStream ? body.pipeThrough(mendLines(mend)) : mend(await response.text());
    return new Response(mended, { status, headers });
  };
}

/** Mends the data lines of an event stream; all others pass as they are. */
function mendLines(mend: (json: string) => string): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = "";
  const line = (text: string): string => {
    const data = /^data: ?/.exec(text)?.[0];
    return data === undefined ? text : data + mend(text.slice(data.length));
  };
  return new TransformStream({
    transform(bytes, controller) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      if (lines.length > 0) controller.enqueue(encoder.encode(lines.map((text) => `${line(text)}\n`).join("")));
    },
    flush(controller) {
      rest += decoder.decode();
      if (rest !== "") controller.enqueue(encoder.encode(line(rest)));
    },
  });
}
