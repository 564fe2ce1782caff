import { type ReasonFailure, failuresFor } from "../../base/index.ts";

/** Every reason for which a skill cannot be used, besides those of the file door. */
export const skillReasons = {
  unknown_skill: { code: "validation_error", means: "There is no skill of this name." },
  broken_skill: { code: "file_invalid", means: "The file of the skill changed into something that is no skill." },
  hidden_text: { code: "file_invalid", means: "The text holds characters that people do not see and a model does." },
} as const;

/** The name of one reason in {@link skillReasons}. */
export type SkillReason = keyof typeof skillReasons;

/** A failure of a skill for this reason. */
export const refuseSkill: ReasonFailure<SkillReason> = failuresFor(skillReasons);
