import type { DayPart } from "./token.ts";

type PartName = "smallHours" | "morning" | "noon" | "afternoon" | "evening" | "night" | "lateNight";

/** Hours of the parts of a day; a night extends into the next day. */
export const dayParts: Readonly<Record<PartName, DayPart>> = {
  smallHours: { kind: "part", from: 0, to: 6 },
  morning: { kind: "part", from: 6, to: 12 },
  noon: { kind: "part", from: 11, to: 13 },
  afternoon: { kind: "part", from: 12, to: 18 },
  evening: { kind: "part", from: 18, to: 24 },
  night: { kind: "part", from: 18, to: 30 },
  lateNight: { kind: "part", from: 22, to: 30 },
};
