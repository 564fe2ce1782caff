/** The weather codes of the WMO that forecasts use, in English and Chinese. */
const conditions: ReadonlyMap<number, readonly [en: string, zh: string]> = new Map([
  [0, ["clear sky", "晴"]],
  [1, ["mainly clear", "大部晴朗"]],
  [2, ["partly cloudy", "多云"]],
  [3, ["overcast", "阴"]],
  [45, ["fog", "雾"]],
  [48, ["rime fog", "雾凇"]],
  [51, ["light drizzle", "小毛毛雨"]],
  [53, ["drizzle", "毛毛雨"]],
  [55, ["dense drizzle", "浓毛毛雨"]],
  [56, ["light freezing drizzle", "轻微冻毛毛雨"]],
  [57, ["freezing drizzle", "冻毛毛雨"]],
  [61, ["light rain", "小雨"]],
  [63, ["rain", "中雨"]],
  [65, ["heavy rain", "大雨"]],
  [66, ["light freezing rain", "小冻雨"]],
  [67, ["freezing rain", "冻雨"]],
  [71, ["light snow", "小雪"]],
  [73, ["snow", "中雪"]],
  [75, ["heavy snow", "大雪"]],
  [77, ["snow grains", "米雪"]],
  [80, ["light showers", "小阵雨"]],
  [81, ["showers", "阵雨"]],
  [82, ["violent showers", "强阵雨"]],
  [85, ["light snow showers", "小阵雪"]],
  [86, ["snow showers", "阵雪"]],
  [95, ["thunderstorm", "雷暴"]],
  [96, ["thunderstorm with light hail", "雷暴伴小冰雹"]],
  [99, ["thunderstorm with hail", "雷暴伴冰雹"]],
]);

/** The languages that conditions are described in. */
export type WeatherLanguage = "en" | "zh";

/** Every weather code with a description. */
export const weatherCodes: readonly number[] = [...conditions.keys()];

/** Describes a weather code. */
export function describeWeather(code: number, language: WeatherLanguage): string {
  const words = conditions.get(code);
  if (words === undefined) return language === "zh" ? `天气代码 ${code}` : `weather code ${code}`;
  return words[language === "zh" ? 1 : 0];
}

/** The requested language, or the one in which the location is named. */
export function resolveWeatherLanguage(query: {
  readonly language?: WeatherLanguage | undefined;
  readonly location?: string | undefined;
}): WeatherLanguage {
  return query.language ?? (/\p{sc=Han}/u.test(query.location ?? "") ? "zh" : "en");
}
