/** Numbers, instants and durations as people read them. */

/** Whether instants are times of day (a real clock) or seconds since the log's beginning. */
let ofDay = true;

/** @param {boolean} real */
export function instantsAreTimes(real) {
  ofDay = real;
}

/** @returns {boolean} */
export function areTimes() {
  return ofDay;
}

const NONE = "–";

/**
 * @param {number | null | undefined} value
 * @param {number} [digits] behind the point
 */
export function number(value, digits = 0) {
  if (value === null || value === undefined || !Number.isFinite(value)) return NONE;
  return value.toLocaleString("en-GB", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** @param {number | null | undefined} part from 0 to 1 */
export function percent(part) {
  return part === null || part === undefined || !Number.isFinite(part) ? NONE : `${number(part * 100, 1)} %`;
}

/**
 * A duration with its two largest units: 3 d 04 h, 12 min 05 s.
 * @param {number | null | undefined} seconds
 * @returns {string}
 */
export function duration(seconds) {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return NONE;
  if (seconds < 0) return `−${duration(-seconds)}`;
  if (seconds < 60) return `${number(seconds, seconds < 10 && seconds % 1 ? 1 : 0)} s`;
  const whole = Math.round(seconds);
  const parts = /** @type {[number, string][]} */ ([
    [Math.floor(whole / 86400), "d"],
    [Math.floor(whole / 3600) % 24, "h"],
    [Math.floor(whole / 60) % 60, "min"],
    [whole % 60, "s"],
  ]);
  const first = parts.findIndex(([count]) => count > 0);
  const [[large, unit], next] = [parts[first], parts[first + 1]];
  if (next === undefined) return `${large} ${unit}`;
  return `${number(large)} ${unit} ${String(next[0]).padStart(2, "0")} ${next[1]}`;
}

/**
 * An instant: a time of day in the viewer's zone, with its date where that is not today's; else the seconds.
 * @param {number | null | undefined} seconds of the scheduling clock
 * @param {number} [now]
 */
export function instant(seconds, now) {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return NONE;
  if (!ofDay) return elapsed(seconds);
  const date = new Date(seconds * 1000);
  const time = date.toLocaleTimeString("en-GB");
  const same = now !== undefined && new Date(now * 1000).toDateString() === date.toDateString();
  return same ? time : `${day(date)} ${time}`;
}

/**
 * An instant on a clock that begins at 0: d hh:mm:ss.
 * @param {number} seconds
 */
export function elapsed(seconds) {
  const whole = Math.round(seconds);
  const [days, rest] = [Math.floor(whole / 86400), ((whole % 86400) + 86400) % 86400];
  const text = [rest / 3600, (rest / 60) % 60, rest % 60].map((one) => String(Math.floor(one)).padStart(2, "0"));
  return (days ? `${number(days)} d ` : "") + text.join(":");
}

/** @param {Date} date */
function day(date) {
  const [year, month, at] = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return `${year}-${String(month).padStart(2, "0")}-${String(at).padStart(2, "0")}`;
}

/** @param {number | null | undefined} kilobytes */
export function memory(kilobytes) {
  if (!kilobytes) return NONE;
  const units = ["kB", "MB", "GB", "TB"];
  let [value, place] = [kilobytes, 0];
  while (value >= 1024 && place < units.length - 1) [value, place] = [value / 1024, place + 1];
  return `${number(value, value < 10 ? 1 : 0)} ${units[place]}`;
}

/**
 * A state as a word: TIMED_OUT is "timed out".
 * @param {string} state
 */
export function word(state) {
  return state.toLowerCase().replaceAll("_", " ");
}
