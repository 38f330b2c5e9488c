// Keys do the same on the page as in a panel's window, in every view, unless somebody types a text.
// The key that ends the show (q) and Escape do nothing here.

import { byId, element } from './elements.js';
import { ctrl_keys, key_groups, plain_keys, repeating, shift_keys } from './wall_keys.js';

const typing_pause_ms = 3000; // a figure after a longer pause begins another number
const native_keys = [' ', 'Enter']; // these press the button or link that has the focus
const slider_keys = /^(Arrow|Home|End)/; // these move the slider that has the focus

export class Keyboard {
  #state;
  #actions;
  #show;
  #safety;
  #store;
  #onSearch;
  #typed = { figures: '', at: 0 };
  #busy = new Set(); // names of keys under way

  constructor({ state, actions, show, safety, store, onSearch }) {
    this.#state = state;
    this.#actions = actions;
    this.#show = show;
    this.#safety = safety;
    this.#store = store;
    this.#onSearch = onSearch;
    addEventListener('keydown', (event) => this.#down(event));
    this.#listKeys();
    byId('keys-button').addEventListener('click', () => this.showKeys());
  }

  showKeys() {
    if (!byId('keys-dialog').open) byId('keys-dialog').showModal();
  }

  #listKeys() {
    for (const [title, keys] of key_groups) {
      const rows = keys.map(([names, words]) =>
        element('div', {}, element('dt', {}, element('kbd', {}, names)), element('dd', {}, words))
      );
      byId('keys-list').append(element('section', {}, element('h3', {}, title), element('dl', {}, ...rows)));
    }
  }

  #isTyped(event) {
    const target = event.target;
    if (document.querySelector('dialog[open]') || !this.#state.isKnown) return true;
    if (event.altKey || event.metaKey || event.isComposing) return true;
    if (target.matches?.('textarea, select, input:not([type=range])')) return true;
    if (target.matches?.('input') && slider_keys.test(event.key)) return true;
    return native_keys.includes(event.key) && Boolean(target.closest?.('button, a, summary'));
  }

  #down(event) {
    if (this.#isTyped(event)) return;
    const key = event.key.toLowerCase();
    const has_modifier = event.ctrlKey || event.shiftKey;
    if (key === '?') this.showKeys();
    else if (key === '/' && this.#state.presentation) this.#onSearch();
    else if (this.#state.presentation && !has_modifier && this.#presentationKey(key, event.repeat)) {
      // It went to a cue, or typed a part of a number.
    } else if (!this.#wallKey(key, event)) return;
    event.preventDefault();
  }

  #presentationKey(key, is_repeat) {
    const acts = {
      pagedown: () => this.#show.go(),
      n: () => this.#show.go(),
      pageup: () => this.#show.back(),
      p: () => this.#show.back(),
      enter: () => (this.#typed.figures ? this.#goToTyped() : this.#show.go()),
      b: () => this.#safety.toggleBlack(),
      '.': () => this.#safety.toggleBlack(),
      f: () => this.#safety.toggleFreeze(),
    };
    if (/^[0-9]$/.test(key)) this.#type(key);
    else if (!(key in acts)) return false;
    else if (!is_repeat) acts[key]();
    return true;
  }

  #type(figure) {
    const now = performance.now();
    if (now - this.#typed.at > typing_pause_ms) this.#typed.figures = '';
    this.#typed = { figures: (this.#typed.figures + figure).slice(0, 12), at: now };
    this.#actions.tell(`cue ${this.#typed.figures} – enter goes there`, 'waiting');
  }

  #goToTyped() {
    const number = this.#typed.figures;
    this.#typed.figures = '';
    const cue = this.#store.byNumber(number);
    if (cue) this.#show.goTo(cue.name);
    else this.#actions.tell(`no cue ${number}`, 'refused');
  }

  #wallKey(key, event) {
    const plain = plain_keys[key];
    const name = (event.ctrlKey && ctrl_keys[key]) || (event.shiftKey && shift_keys[key]) || plain;
    // Other combinations with ctrl are the browser's, and so are F1 to F8 away from the wall.
    if (!name || (event.ctrlKey && !ctrl_keys[key])) return false;
    if (/^f[1-8]$/.test(key) && !event.target.closest?.('#stage')) return false;
    if (event.repeat && (!repeating.test(name) || this.#busy.has(name))) return true;
    this.#press(name);
    return true;
  }

  async #press(name) {
    this.#busy.add(name);
    await this.#actions.run('key', { key: name }, { words: name.replaceAll('_', ' ') });
    this.#busy.delete(name);
  }
}
