// The buttons that are at hand in every view: panic, resume, black and freeze.

import { byId, setAttribute, setText } from './elements.js';
import { Toggle } from './toggle.js';

export class Safety {
  #state;
  #actions;
  #blank;
  #frozen;

  constructor(state, actions) {
    this.#state = state;
    this.#actions = actions;
    this.#blank = new Toggle(() => state.scene.blank);
    this.#frozen = new Toggle(() => state.scene.frozen);
    const is_held = () => Boolean(state.scene.panic || state.scene.frozen);
    this.#bind('panic', 'panic', () => this.panic());
    this.#bind('resume', 'resume', () => this.resume(), is_held);
    this.#bind('black', 'blank', () => this.toggleBlack());
    this.#bind('freeze', 'freeze', () => this.toggleFreeze());
  }

  #bind(name, verb, act, when) {
    for (const button of document.querySelectorAll(`[data-safety=${name}]`))
      this.#actions.bind(button, verb, when).addEventListener('click', act);
  }

  /** The button of that name that is seen: the presenter's view has a "black" of its own. */
  #button(name) {
    const buttons = [...document.querySelectorAll(`[data-safety=${name}]`)];
    return buttons.find((button) => button.getClientRects().length > 0);
  }

  panic() {
    return this.#actions.run('panic', {}, { button: this.#button('panic') });
  }

  resume() {
    return this.#actions.run('resume', {}, { button: this.#button('resume') });
  }

  #toggle(verb, name, words, toggle) {
    const on = toggle.flip();
    const result = (answer) => answer.error ?? (on ? 'on' : 'off');
    return this.#actions.run(verb, { on }, { button: this.#button(name), words, result });
  }

  toggleBlack() {
    return this.#toggle('blank', 'black', 'black', this.#blank);
  }

  toggleFreeze() {
    return this.#toggle('freeze', 'freeze', 'freeze', this.#frozen);
  }

  update() {
    const { panic, blank, frozen } = this.#state.scene;
    const pressed = { panic, black: blank, freeze: frozen };
    for (const [name, on] of Object.entries(pressed))
      for (const button of document.querySelectorAll(`[data-safety=${name}]`))
        setAttribute(button, 'aria-pressed', Boolean(on));
    const words = [
      panic && 'Panic: the wall is black and silent until resume',
      blank && !panic && 'The wall is black',
      frozen && 'The picture is frozen; time goes on',
    ].filter(Boolean);
    const line = byId('hold');
    line.hidden = words.length === 0;
    setText(line, words.join('. '));
  }
}
