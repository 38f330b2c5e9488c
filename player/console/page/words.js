// Numbers and times as people read them.

/** 7 s as "0:07", 3,725 s as "1:02:05". */
export function duration(seconds) {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return '–';
  const whole = Math.floor(Math.abs(seconds));
  const two = (value) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const text = hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
  return seconds < 0 ? `-${text}` : text;
}

/** A time to go: the last ten seconds have tenths. */
export function countdown(seconds) {
  return seconds < 10 ? `${Math.max(0, seconds).toFixed(1)} s` : duration(Math.ceil(seconds));
}

export function count(value) {
  return value === null || value === undefined ? '–' : Number(value).toLocaleString('en-GB');
}

export function fixed(value, digits = 1) {
  return Number.isFinite(value) ? value.toFixed(digits) : '–';
}

/** Microseconds as "9 µs", "1.8 ms" or "0.12 s". */
export function microseconds(value) {
  if (!Number.isFinite(value)) return '–';
  if (value < 1000) return `${Math.round(value)} µs`;
  return value < 100000 ? `${(value / 1000).toFixed(1)} ms` : `${(value / 1e6).toFixed(2)} s`;
}

export function bytes(value) {
  if (!Number.isFinite(value)) return '–';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; ++unit) value /= 1024;
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function timeOfDay(utc_ms, has_seconds = true) {
  const time = { hour: '2-digit', minute: '2-digit', ...(has_seconds ? { second: '2-digit' } : {}) };
  return new Date(utc_ms).toLocaleTimeString('en-GB', time);
}

export const plural = (number, word) => `${count(number)} ${word}${number === 1 ? '' : 's'}`;

/** "a, b, c and 4 more" */
export function someOf(names, most = 3) {
  const more = names.length - most;
  return names.slice(0, most).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** The last part of a path, which is what people know a file by. */
export function fileName(path) {
  return String(path ?? '')
    .replace(/\/+$/, '')
    .split('/')
    .pop();
}

/** A text that no other request has, for the field `once`; works without a secure origin, too. */
export function randomKey() {
  const words = crypto.getRandomValues(new Uint32Array(4));
  return Array.from(words, (word) => word.toString(16).padStart(8, '0')).join('');
}
