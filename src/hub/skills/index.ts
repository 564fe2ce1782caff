export { skillCatalogue } from "./skill-catalogue.ts";
export { createSkillFolder } from "./skill-folder.ts";
export { skillReasons } from "./skill-reasons.ts";
export { skillRules } from "./skill-rules.ts";
export { unloadedCode } from "./skill-folder.ts";
export { validateSkill } from "./validate-skill.ts";
export { validateSkills } from "./validate-skill.ts";
