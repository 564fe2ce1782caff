export * from "./captions.ts";
export * from "./transcript.ts";
export * from "./youtube-transcription-tool.ts";
