export type { CurrentWeather, DailyWeather, Forecast, WeatherUnits } from "./forecast.ts";
export type { GeoPlace } from "./geocode.ts";
export { getWeatherTool } from "./get-weather-tool.ts";
export type { WeatherLanguage } from "./weather-codes.ts";
export {
  type Weather,
  type WeatherOptions,
  type WeatherQuery,
  type WeatherReport,
  createWeather,
  weatherAttribution,
} from "./weather.ts";
