// The sound of the wall: mute, loudness, and what the wall plays now.

import { byId, icon, setAttribute, setText } from './elements.js';
import { Toggle } from './toggle.js';

const hold_ms = 1000; // until the status can know of the last change

export class Sound {
  #state;
  #slider = byId('sound-volume');
  #mute = byId('sound-mute');
  #held_until = 0;

  constructor(state, actions) {
    this.#state = state;
    const stream = actions.stream('volume', (before, newest) => newest, {
      words: 'volume',
      quiet: true,
      button: this.#slider,
      result: (answer) => answer.error ?? `${this.#slider.value} %`,
    });
    const muted = new Toggle(() => state.scene.muted);
    actions.bind(this.#mute, 'mute').addEventListener('click', () => {
      const on = muted.flip();
      const result = (answer) => answer.error ?? (on ? 'on' : 'off');
      actions.run('mute', { on }, { button: this.#mute, result });
    });
    actions.bind(this.#slider, 'volume').addEventListener('input', () => {
      this.#held_until = performance.now() + hold_ms;
      this.#tell(Number(this.#slider.value));
      stream.push({ volume: Number(this.#slider.value) / 100 });
    });
    this.#slider.addEventListener('change', () => this.#slider.blur());
  }

  update() {
    const { muted, volume } = this.#state.scene;
    const drawing = muted ? 'muted' : 'sound';
    if (this.#mute.dataset.icon !== drawing) {
      this.#mute.dataset.icon = drawing;
      this.#mute.replaceChildren(icon(drawing));
    }
    setAttribute(this.#mute, 'aria-pressed', Boolean(muted));
    if (performance.now() > this.#held_until) {
      this.#slider.value = Math.round((volume ?? 1) * 100);
      this.#tell(Number(this.#slider.value));
    }
    setText(byId('sound-state'), this.#state.status.audio?.state ?? '');
  }

  #tell(percent) {
    setText(byId('sound-percent'), `${percent} %`);
    setAttribute(this.#slider, 'aria-valuetext', `${percent} %`);
  }
}
