import type { FailureError } from "../base/index.ts";
import { parseAddress } from "./address.ts";
import type { AllowList } from "./allow-list.ts";
import { blockedPorts } from "./blocked-ports.ts";
import { type NetReason, refuse } from "./net-reasons.ts";
import { isPrivateName } from "./private-name.ts";
import { isPublicAddress } from "./public-address.ts";
import { type Target, targetOf } from "./target.ts";

/** Longer URLs are a mistake or an attack; servers refuse them at half of this. */
const longestUrl = 16_384;

/** Parses a URL and refuses it unless it leads to the public network or to what `allow` opens. */
export function checkUrl(text: string, allow: AllowList): URL {
  const url = parseUrl(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw refuse("bad_scheme", `only http and https URLs can be requested, not ${url.protocol.slice(0, 30)}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw refuse("url_credentials", "the URL carries a user name or password; send an Authorization header instead");
  }
  checkTarget(targetOf(url), allow);
  return url;
}

/** A refusal that policy makes, with the way to open it. */
export function refuseTarget(reason: NetReason, why: string, { host, port }: Target): FailureError {
  const entry = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  return refuse(reason, `${why}; to open it, add "${entry}" to network.allow in windlass.yaml`, {
    forModel: `${why}; use a public address`,
  });
}

function parseUrl(text: string): URL {
  if (text.length > longestUrl) throw refuse("bad_url", `the URL is longer than ${longestUrl} characters`);
  // A tool file may pass on something that is no text.
  const url = typeof text === "string" ? URL.parse(text) : null;
  // The text itself is not shown: it may hold a password.
  if (url === null) throw refuse("bad_url", "this is not a URL; write it in full, such as https://example.com/path");
  return url;
}

function checkTarget(target: Target, allow: AllowList): void {
  const { host, port } = target;
  const address = parseAddress(host);
  if (!allow.opensHost(host, port)) {
    if (address !== undefined && !isPublicAddress(address)) {
      throw refuseTarget("ssrf_ip", `${host} is not a public address`, target);
    }
    if (address === undefined && isPrivateName(host)) {
      throw refuseTarget("bad_host", `"${host.slice(0, 255)}" is a name inside a private network`, target);
    }
  }
  if (blockedPorts.has(port) && !allow.namesPort(host, port)) {
    throw refuseTarget("bad_port", `port ${port} belongs to a service that does not speak HTTP`, target);
  }
}
