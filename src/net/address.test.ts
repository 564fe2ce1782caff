import { BlockList, SocketAddress } from "node:net";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AddressBlock, blockContains, parseAddress, parseBlock } from "./address.ts";

const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });
const ipv6 = groups.map((parts) => parts.map((part) => part.toString(16)).join(":"));
const ipv4 = fc.ipV4();

describe("an address", () => {
  test("is the same number however it is written", () => {
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6, fc.ipV6()), (text) => {
        const family = text.includes(":") ? "ipv6" : "ipv4";
        const short = new SocketAddress({ address: text, family }).address;
        expect(parseAddress(short)).toEqual(parseAddress(text));
        expect(parseAddress(text)?.family).toBe(family === "ipv6" ? 6 : 4);
      }),
      { seed: 1 },
    );
  });

  test.each([
    ["127.0.0.1", 0x7f000001n],
    ["::", 0n],
    ["::1", 1n],
    ["1::", 1n << 112n],
    ["::ffff:127.0.0.1", 0xffff7f000001n],
    ["64:ff9b::10.0.0.1", (0x64ff9bn << 96n) | 0x0a000001n],
  ])("%s is read as a number", (text, value) => {
    expect(parseAddress(text)?.value).toBe(value);
  });

  test.each([
    "",
    "127.1",
    "0177.0.0.1",
    "256.1.1.1",
    "1.2.3.4.5",
    "fe80::1%eth0",
    "[::1]",
    ":::",
    "localhost",
    "1::2::3",
  ])("%j is not an address", (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });
});

describe("a block", () => {
  test("agrees with the system's own block list", () => {
    const cases = fc.tuple(fc.constantFrom("ipv4", "ipv6"), fc.nat(128), ipv4, ipv6, ipv4, ipv6, fc.nat(128));
    fc.assert(
      fc.property(cases, ([family, bits, a4, a6, b4, b6, keep]) => {
        const [width, a, b] = family === "ipv4" ? [32n, a4, b4] : [128n, a6, b6];
        const prefix = bits % (Number(width) + 1);
        const address = parseAddress(a)!;
        const other = parseAddress(b)!;
        // Addresses that share some bits with the block, or none would ever be inside.
        const shared = BigInt(keep % (Number(width) + 1));
        const near = { ...other, value: ((address.value >> shared) << shared) | (other.value & ((1n << shared) - 1n)) };
        const rest = width - BigInt(prefix);
        const block: AddressBlock = { ...address, value: (address.value >> rest) << rest, prefix };
        const list = new BlockList();
        list.addSubnet(a, prefix, family as "ipv4");
        expect(blockContains(block, near)).toBe(list.check(write(near.value, near.family), family as "ipv4"));
      }),
      { seed: 2 },
    );
  });

  test("a block of one family never holds an address of the other", () => {
    expect(blockContains(parseBlock("::/1")!, parseAddress("10.0.0.1")!)).toBe(false);
    expect(blockContains(parseBlock("10.0.0.0/8")!, parseAddress("::ffff:10.0.0.1")!)).toBe(false);
  });

  test.each(["10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8.0", "/8", "fd00::1/8", "::/129"])(
    "%j is refused",
    (text) => {
      expect(parseBlock(text)).toBeUndefined();
    },
  );
});

function write(value: bigint, family: 4 | 6): string {
  const [count, bits] = family === 4 ? [4, 8n] : [8, 16n];
  const parts = Array.from(
    { length: count },
    (_, i) => (value >> (bits * BigInt(count - 1 - i))) & ((1n << bits) - 1n),
  );
  return parts.map((part) => part.toString(family === 4 ? 10 : 16)).join(family === 4 ? "." : ":");
}
