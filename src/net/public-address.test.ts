import { expect, test } from "vitest";
import { parseAddress } from "./address.ts";
import { isPublicAddress } from "./public-address.ts";

test.each(["1.1.1.1", "8.8.8.8", "93.184.216.34", "172.32.0.1", "100.128.0.1", "192.0.1.1", "223.255.255.255"])(
  "%s is public",
  (text) => {
    expect(isPublicAddress(parseAddress(text)!)).toBe(true);
  },
);

test.each(["2606:4700:4700::1111", "2001:4860:4860::8888", "2400:cb00::1", "2a00:1450::1", "3ffe::1"])(
  "%s is public",
  (text) => {
    expect(isPublicAddress(parseAddress(text)!)).toBe(true);
  },
);

test.each([
  ["0.0.0.0", "this network"],
  ["10.255.255.255", "private"],
  ["100.64.0.1", "carrier-grade NAT"],
  ["100.127.255.255", "carrier-grade NAT"],
  ["127.255.255.254", "loopback"],
  ["169.254.169.254", "link-local"],
  ["172.16.0.1", "private"],
  ["172.31.255.255", "private"],
  ["192.168.0.1", "private"],
  ["198.19.255.255", "benchmarking"],
  ["224.0.0.1", "multicast"],
  ["255.255.255.255", "broadcast"],
  ["168.63.129.16", "a cloud's own"],
  ["::", "unspecified"],
  ["::1", "loopback"],
  ["::ffff:8.8.8.8", "IPv4-mapped, even of a public address"],
  ["::ffff:0:7f00:1", "IPv4-translated"],
  ["::7f00:1", "IPv4-compatible"],
  ["64:ff9b::7f00:1", "NAT64"],
  ["64:ff9b:1::1", "local NAT64"],
  ["100::1", "discard"],
  ["2001::7f00:1", "Teredo"],
  ["2001:db8::1", "documentation"],
  ["2002:7f00:1::", "6to4"],
  ["3fff::1", "documentation"],
  ["4000::1", "not allotted"],
  ["5f00::1", "segment routing"],
  ["fc00::1", "unique local"],
  ["fd00:ec2::254", "unique local"],
  ["fe80::1", "link-local"],
  ["fec0::1", "site-local"],
  ["ff02::1", "multicast"],
])("%s is not public: %s", (text) => {
  expect(isPublicAddress(parseAddress(text)!)).toBe(false);
});
