import { worldFailure } from "./world-reasons.ts";

const id = /^[A-Za-z0-9_-]{11}$/;
const hosts = /^(?:(?:www|m|music)\.)?(?:youtube\.com|youtube-nocookie\.com)$/;

/** The id of a YouTube video, from its address in any form or the id itself. */
export function videoIdOf(video: string): string {
  const text = video.trim();
  const found = id.test(text) ? text : idInAddress(text);
  if (found !== undefined && id.test(found)) return found;
  const message = `${JSON.stringify(text.slice(0, 100))} is no address or id of a YouTube video, such as https://www.youtube.com/watch?v=…`;
  throw worldFailure("bad_video", message, { parameter: "url" });
}

function idInAddress(text: string): string | undefined {
  const address = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(address)) return undefined;
  const { hostname, pathname, searchParams } = new URL(address);
  const [first = "", second = ""] = pathname.slice(1).split("/");
  if (hostname === "youtu.be") return first;
  if (!hosts.test(hostname)) return undefined;
  if (first === "watch") return searchParams.get("v") ?? undefined;
  return ["shorts", "embed", "live", "v"].includes(first) ? second : undefined;
}
