export type * from "./forecast.ts";
export type * from "./geocode.ts";
export * from "./get-weather-tool.ts";
export type * from "./weather-codes.ts";
export * from "./weather.ts";
