import { type ReasonFailure, createReasonFailures } from "../../base/index.ts";

/** Reasons for which a skill cannot be used, in addition to those of the file access. */
export const skillReasons = {
  unknown_skill: { code: "validation_error", meaning: "There is no skill of this name." },
  broken_skill: {
    code: "file_invalid",
    meaning: "The file of the skill was changed and is not a valid skill any more.",
  },
  hidden_text: {
    code: "file_invalid",
    meaning: "The text contains characters that are invisible to people but not to a model.",
  },
} as const;

/** The name of one reason in {@link skillReasons}. */
export type SkillReason = keyof typeof skillReasons;

/** A failure of a skill for this reason. */
export const skillFailure: ReasonFailure<SkillReason> = createReasonFailures(skillReasons);
