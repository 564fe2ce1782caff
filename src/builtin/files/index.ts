export { editFileTool } from "./edit-file-tool.ts";
export { listDirTool } from "./list-dir-tool.ts";
export { readFileTool } from "./read-file-tool.ts";
export { type FileMatch, type FileMatches, type FileQuery, searchFiles } from "./search-files.ts";
export { searchFilesTool } from "./search-files-tool.ts";
export { writeFileTool } from "./write-file-tool.ts";
