// A region that a running simulation feeds: which timestep is shown, and holding or following it.

import { byId, setAttribute, setText } from './elements.js';
import { count, fixed } from './words.js';

export class Live {
  #state;
  #transport;

  constructor(state, actions, transport) {
    this.#state = state;
    this.#transport = transport;
    const bind = (verb, fields) => {
      const button = byId(`live-${verb}`);
      actions.bind(button, 'live', () => Boolean(this.#source));
      button.addEventListener('click', () => {
        const region = this.#source.region;
        actions.run('live', { verb, region, ...fields }, { button, words: `live ${verb}` });
      });
    };
    bind('edge', {});
    bind('hold', {});
    bind('back', { by: 1 });
    bind('forward', { by: 1 });
  }

  /** The live source of the chosen region, or undefined. */
  get #source() {
    const region = this.#transport.region?.region;
    return (this.#state.status.live ?? []).find((source) => source.region === region);
  }

  update() {
    const source = this.#source;
    byId('live-part').hidden = !source;
    if (!source) return;
    const step =
      source.timestep === null || source.timestep === undefined
        ? 'no timestep yet'
        : `timestep ${count(source.timestep)}`;
    const age = Number.isFinite(source.age_s) ? `, ${fixed(source.age_s)} s old` : '';
    const waits = source.waits_for ? `, waits for ${source.waits_for}` : '';
    const mode = source.held ? 'held' : 'follows the newest';
    setText(
      byId('live-words'),
      `live ${source.name}: ${step}${age}, ${mode}, ${count(source.kept)} in memory${waits}`
    );
    setAttribute(byId('live-hold'), 'aria-pressed', Boolean(source.held));
  }
}
