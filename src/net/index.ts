export { type AllowList, parseAllowList, withService } from "./allow-list.ts";
export type { RequestHeaders } from "./check-headers.ts";
export { checkUrl } from "./check-url.ts";
export type { Dial } from "./connector.ts";
export {
  type Door,
  type DoorOptions,
  type HttpRequest,
  type HttpResponse,
  type HttpStream,
  type StreamRequest,
  type StreamingDoor,
  createDoor,
} from "./door.ts";
export { type NetReason, netReasons } from "./net-reasons.ts";
export type { Resolve } from "./resolve-target.ts";
export { retryAfterMs } from "./retry-after.ts";
export { withoutCredentials } from "./without-credentials.ts";
