export { type CurrentTime, type TimeOptions, currentTime } from "./current-time.ts";
export { createFileTimerStore } from "./file-timer-store.ts";
export { getCurrentTimeTool } from "./get-current-time-tool.ts";
export { getTimeRangeMsTool } from "./get-time-range-ms-tool.ts";
export { getTimeTool } from "./get-time-tool.ts";
export { Pomodoro, type PomodoroStart, type PomodoroStatus } from "./pomodoro.ts";
export { pomodoroTool } from "./pomodoro-tool.ts";
export { type TimeRange, timeRange } from "./time-range.ts";
export { type TimerState, type StoredTimer, type TimerStore, createInMemoryTimerStore } from "./timer-store.ts";
