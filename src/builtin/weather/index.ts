export { type CaptionFormat, type Captions, type CaptionSegment, readCaptions } from "./captions.ts";
export type { Place } from "./find-place.ts";
export type { CurrentWeather, DailyWeather, Forecast, WeatherUnits } from "./forecast.ts";
export { type GetWeatherInput, getWeatherTool } from "./get-weather-tool.ts";
export {
  type ProvidedCaptions,
  type Transcript,
  type TranscriptProvider,
  type TranscriptQuery,
  type TranscriptRequest,
  transcribe,
} from "./transcript.ts";
export {
  type Weather,
  type WeatherOptions,
  type WeatherQuery,
  type WeatherReport,
  createWeather,
  weatherAttribution,
} from "./weather.ts";
export type { WeatherLanguage } from "./weather-codes.ts";
export { youtubeTranscriptionTool } from "./youtube-transcription-tool.ts";
