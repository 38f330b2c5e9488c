// What is wrong with a panel now, in the words of the report: gone, stalled, frozen, damaged, late or
// coarse. Counts of late and damaged frames only grow, so their growth in the last 10 s is what counts.

import { plural } from './words.js';

const window_s = 10; // as in the status's own reasons
const sign_of_life_limit_s = 1.5;
// Panels report five times a second. One that was silent for longer in the newest status is taken to
// be silent since; of the others a late status tells nothing.
const usual_silence_s = 0.5;

// What was swapped in place of a frame that was due.
const damage_words = {
  blocks: 'a part of its frame could not be decoded',
  repeated: 'its frame could not be decoded, and the picture before stayed',
  missing: 'the source has no such frame, and the picture before stayed',
  black: 'its frame could not be decoded, and there was no picture before',
};

export class PanelConditions {
  #samples = new Map(); // panel -> [{at_s, late, damaged}], the oldest first
  #least_level = { movie: 0, volume: 0 };

  /** Takes the figures of a new status. */
  note(state) {
    const at_s = performance.now() / 1000;
    const levels = { movie: [], volume: [] };
    for (const [name, panel] of state.panels) {
      const samples = this.#samples.get(name) ?? [];
      samples.push({ at_s, late: panel.frames_late ?? 0, damaged: panel.damaged_frames ?? 0 });
      while (samples.length > 1 && samples[1].at_s < at_s - window_s) samples.shift();
      this.#samples.set(name, samples);
      if (!panel.connected) continue;
      levels.movie.push(panel.level ?? 0);
      levels.volume.push(panel.volume?.level ?? 0);
    }
    for (const kind of ['movie', 'volume'])
      this.#least_level[kind] = levels[kind].length ? Math.min(...levels[kind]) : 0;
  }

  /** How much a count grew in the last 10 s; 0 where it began anew with another process. */
  #growth(name, key) {
    const samples = this.#samples.get(name);
    return samples ? Math.max(0, samples.at(-1)[key] - samples[0][key]) : 0;
  }

  lateFrames(name) {
    return this.#growth(name, 'late');
  }

  /** How coarse the panel's picture is, in words; "" where it has full detail. */
  #coarseText(panel, state) {
    const all = state.scene.coarser_by ?? 0;
    const movie = (panel.level ?? 0) - this.#least_level.movie;
    // A host that cannot read the detail of a volume keeps its overview while others show theirs.
    const volume = (panel.volume?.level ?? 0) - this.#least_level.volume;
    if (volume > 0) return `its volume is ${plural(volume, 'level')} coarser than on other panels`;
    const levels = Math.max(all, movie);
    return levels > 0 ? `${plural(levels, 'level')} below full detail` : '';
  }

  /** Seconds without a sign of life, with those since the newest status. */
  #silentS(panel, state) {
    const silent_s = panel.silent_s ?? 0;
    const is_late = silent_s > usual_silence_s && state.director === 'connected';
    return is_late ? silent_s + state.ageS() : silent_s;
  }

  #damageText(name, picture_damage) {
    const damaged = this.#growth(name, 'damaged');
    if (damaged > 0) return `${plural(damaged, 'damaged frame')} in ${window_s} s`;
    return damage_words[picture_damage] ?? '';
  }

  /**
   * [{word, light, text}] of a panel, the worst first; empty where all is well. `picture_damage` is
   * that of the panel's last picture.
   */
  of(name, panel, state, picture_damage = 'none') {
    if (!panel.connected && state.status.phase === 'gathering')
      return [{ word: 'starting', light: 'yellow', text: 'the panel is being started' }];
    if (!panel.connected)
      return [{ word: 'gone', light: 'red', text: 'the panel is not connected; it is started again' }];
    const found = [];
    const silent_s = this.#silentS(panel, state);
    if (silent_s > sign_of_life_limit_s) {
      const text = `no sign of life for ${Math.floor(silent_s)} s`;
      found.push({ word: 'stalled', light: 'red', text });
    }
    if ((state.status.frozen ?? []).includes(name)) {
      const text = 'its picture stays although the show goes on';
      found.push({ word: 'frozen', light: 'red', text });
    }
    const damage = this.#damageText(name, picture_damage);
    if (damage) found.push({ word: 'damaged', light: 'yellow', text: damage });
    const late = this.#growth(name, 'late');
    if (late > 0) {
      const cause = panel.late_cause ? ` (${panel.late_cause})` : '';
      const text = `${plural(late, 'late frame')} in ${window_s} s${cause}`;
      found.push({ word: 'late', light: 'yellow', text });
    }
    const coarse = this.#coarseText(panel, state);
    if (coarse) found.push({ word: 'coarse', light: 'yellow', text: coarse });
    return found;
  }
}
