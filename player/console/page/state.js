// What the console has told about the wall: the newest state, and the estimates that follow from it.

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/** Applies a JSON merge patch (RFC 7396) and returns the result; `target` is not changed. */
function mergePatch(target, patch) {
  if (!isObject(patch)) return patch;
  const result = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (key === '__proto__') continue; // names come from outside
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

/** Keeps a frame within a region's played range as the region's loop mode does. */
function frameInRange(frame, region) {
  const [first, last] = region.range ?? [0, (region.frames ?? 1) - 1];
  const count = last - first + 1;
  if (count <= 1 || (frame >= first && frame <= last)) return Math.min(Math.max(frame, first), last);
  if (region.loop === 'loop') return first + ((((frame - first) % count) + count) % count);
  if (region.loop !== 'ping_pong') return Math.min(Math.max(frame, first), last);
  const around = 2 * (count - 1);
  const along = (((frame - first) % around) + around) % around;
  return first + Math.min(along, around - along);
}

export class WallState {
  #revision = null;
  #state = {};
  #came_at = 0; // performance.now() when the newest status came
  #listeners = new Set();
  #clock_offset_ms = 0; // the console's date minus the browser's

  /** `listener` is called with this object after each change. */
  subscribe(listener) {
    this.#listeners.add(listener);
  }

  replace(revision, state) {
    const is_new_status = state?.received_ms !== this.#state.received_ms;
    this.#revision = revision;
    this.#state = isObject(state) ? state : {};
    this.#note(is_new_status);
  }

  /** Returns false where the patch is for another revision than ours: then the whole state is needed. */
  patch(revision, from, patch) {
    if (this.#revision === null || from !== this.#revision) return false;
    this.#revision = revision;
    this.#state = mergePatch(this.#state, patch);
    this.#note(isObject(patch) && 'received_ms' in patch);
    return true;
  }

  #note(is_new_status) {
    if (is_new_status) this.#came_at = performance.now();
    const utc_ms = this.#state.utc_ms;
    if (is_new_status && typeof utc_ms === 'number') this.#clock_offset_ms = utc_ms - Date.now();
    for (const listener of this.#listeners) listener(this);
  }

  /** The wall's own date in milliseconds; a browser's clock may be an hour off. */
  utcMs() {
    return Date.now() + this.#clock_offset_ms;
  }

  /** Seconds since the newest status came. */
  ageS() {
    return (performance.now() - this.#came_at) / 1000;
  }

  get isKnown() {
    return this.#revision !== null && isObject(this.#state.status);
  }
  get director() {
    return this.#state.director ?? 'away';
  }
  get status() {
    return this.#state.status ?? {};
  }
  get wall() {
    return this.#state.wall ?? null;
  }
  get people() {
    return this.#state.people ?? [];
  }
  /** The newest commands and what the wall told, the newest first. */
  get commands() {
    const numbered = Object.entries(this.#state.commands ?? {});
    return numbered.sort(([a], [b]) => Number(b) - Number(a)).map(([, command]) => command);
  }
  /** {name: {state, by, at_utc_ms, text}} of the work on the show file. */
  get tools() {
    return this.#state.tools ?? {};
  }
  /** The flight path that the show keeps, with its keys, or null where it keeps none. */
  get flightPath() {
    return this.#state.flight_path ?? null;
  }
  /** How far the movies are that are written on the show's machine now. */
  get writtenMovies() {
    return this.#state.movies ?? [];
  }
  /** Another number where the list of cues has changed. */
  get cuesEdition() {
    return this.#state.cues_edition ?? 0;
  }
  get scene() {
    return this.status.scene ?? {};
  }
  get regions() {
    return this.scene.regions ?? [];
  }
  /** The cue on the wall, or null where the show is no presentation. */
  get presentation() {
    return this.status.presentation ?? null;
  }
  /** [[name, figures of the panel]] in the order of the wall's columns and rows. */
  get panels() {
    const panels = Object.entries(this.status.per_panel ?? {});
    return panels.sort(([, a], [, b]) => a.row - b.row || a.column - b.column);
  }

  region(name) {
    return this.regions.find((region) => region.region === name) ?? this.regions[0] ?? null;
  }

  /** The frame that the region has now, estimated from the newest status. */
  frameNow(region) {
    const moved = (region.rate_fps ?? 0) * (region.direction ?? 1) * this.ageS();
    const is_held = region.paused || this.director !== 'connected' || this.ageS() > 5;
    return frameInRange(Math.floor(region.frame + (is_held ? 0 : moved)), region);
  }
}
