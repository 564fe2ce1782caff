import { FailureError } from "../base/index.ts";

const sizeUnits: Readonly<Record<string, number>> = {
  "": 1,
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
};

/** Reads `500MB`, `1GB`, `64 KiB`. */
export function parseSize(size: number | string | undefined): number | undefined {
  if (size === undefined || typeof size === "number") return size;
  const match = /^\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*$/.exec(size);
  const unit = sizeUnits[match?.[2]?.toUpperCase() ?? "?"];
  if (!match || unit === undefined) {
    throw new FailureError(`"${size}" is not a size; write for example 500MB, 1GB or 64KiB`, { code: "file_invalid" });
  }
  return Math.floor(Number(match[1]) * unit);
}
