import type { FailureError } from "../base/index.ts";
import { parseAddress, type Target, toTarget } from "./address.ts";
import type { AllowList } from "./allow-list.ts";
import { type NetReason, netFailure } from "./net-reasons.ts";
import { isPrivateHost, isPublicAddress } from "./public-address.ts";

/** Longer URLs are a mistake or an attack; servers refuse them at half of this. */
const maxUrlLength = 16_384;

/** Parses a URL and refuses it unless it leads to the public network or to what `allow` opens. */
export function checkUrl(text: string, allow: AllowList): URL {
  const url = parseUrl(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw netFailure("bad_scheme", `only http and https URLs can be requested, not ${url.protocol.slice(0, 30)}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw netFailure(
      "url_credentials",
      "the URL carries a user name or password; send an Authorization header instead",
    );
  }
  checkTarget(toTarget(url), allow);
  return url;
}

/** A refusal that policy makes, with the way to open it. */
export function refuseTarget(
  reason: NetReason,
  why: string,
  { target, allow }: { readonly target: Target; readonly allow: AllowList },
): FailureError {
  const refusal = allow.refuses?.(target);
  if (refusal !== undefined) return refusal;
  const { host, port } = target;
  const entry = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  return netFailure(reason, `${why}; to open it, add "${entry}" to network.allow in windlass.yaml`, {
    forModel: `${why}; use a public address`,
  });
}

function parseUrl(text: string): URL {
  if (text.length > maxUrlLength) throw netFailure("bad_url", `the URL is longer than ${maxUrlLength} characters`);
  // A tool file may pass a value that is not a string.
  const url = typeof text === "string" ? URL.parse(text) : null;
  // The text itself is not shown: it may hold a password.
  if (url === null)
    throw netFailure("bad_url", "this is not a URL; write it in full, such as https://example.com/path");
  return url;
}

function checkTarget(target: Target, allow: AllowList): void {
  const { host, port } = target;
  const address = parseAddress(host);
  if (!allow.opensHost(host, port)) {
    if (address !== undefined && !isPublicAddress(address)) {
      throw refuseTarget("ssrf_ip", `${host} is not a public address`, { target, allow });
    }
    if (address === undefined && isPrivateHost(host)) {
      throw refuseTarget("bad_host", `"${host.slice(0, 255)}" is a name inside a private network`, { target, allow });
    }
  }
  if (blockedPorts.has(port) && !allow.namesPort(host, port)) {
    throw refuseTarget("bad_port", `port ${port} belongs to a service that does not speak HTTP`, { target, allow });
  }
}

/**
 * Ports of services that do not speak HTTP but could take a request for commands: the list that browsers refuse, and
 * two databases that obey lines of text (6379, 11211).
 */
const blockedPorts: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 11211,
]);

/**
 * Removes the user name and password from an address before it is displayed, stored or passed on. Text without
 * credentials is returned unchanged, also if it is not an address at all.
 *
 * @example
 * ```ts
 * withoutCredentials("https://me:secret@example.com/a"); // "https://example.com/a"
 * ```
 */
export function withoutCredentials(address: string): string {
  // Every address that carries some has this sign.
  if (!address.includes("@")) return address;
  const url = URL.parse(address);
  if (url === null) return address.replace(unparsed, "$1");
  if (url.username === "" && url.password === "") return address;
  url.username = "";
  url.password = "";
  return url.href;
}

/** User and password in text that is not quite a valid address. */
const unparsed = /^(\s*(?:[a-z][a-z0-9+.-]{0,30}:)?[/\\]{2,})[^/\\?#]*@/i;
