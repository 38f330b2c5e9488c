// The line of a swipe: left of it the first movie of a comparison is seen, right of it the second one.
// It is moved by its slider, or by a drag of the line itself.

import { byId, element, setAttribute } from './elements.js';

const hold_ms = 1000; // until the status can know of the last change

/** The second movie of a swipe, whose clip begins at the line; undefined while nothing is swiped. */
const swiped = (state) =>
  state.regions.find(({ region, clip_px, blend }) => region === 'compare' && clip_px && blend === 'over');

export class Swipe {
  #stage;
  #view;
  #state;
  #actions;
  #stream;
  #slider = byId('swipe-line');
  #line = element('div', { class: 'swipe-line', hidden: true });
  #held_until = 0;

  constructor(stage, view, state, actions) {
    this.#stage = stage;
    this.#view = view;
    this.#state = state;
    this.#actions = actions;
    this.#stream = actions.stream('compare', (before, newest) => newest, {
      words: 'swipe line',
      quiet: true,
      button: this.#slider,
      result: (answer) => answer.error ?? `at ${this.#slider.value} %`,
    });
    actions.bind(this.#slider, 'compare', () => Boolean(swiped(state)));
    this.#slider.addEventListener('input', () => this.#move(Number(this.#slider.value) / 100));
    this.#slider.addEventListener('change', () => this.#slider.blur());
    this.#line.addEventListener('pointerdown', (event) => this.#grab(event));
    this.#line.addEventListener('pointermove', (event) => this.#drag(event));
  }

  #grab(event) {
    if (!this.#actions.may('compare')) return;
    event.stopPropagation(); // the stage would move the picture
    event.preventDefault();
    this.#line.setPointerCapture(event.pointerId);
  }

  #drag(event) {
    const region = swiped(this.#state);
    if (!region || !this.#line.hasPointerCapture(event.pointerId)) return;
    const at = this.#view.canvasPoint(event.clientX, event.clientY);
    if (!at) return;
    const [left, , width] = region.canvas_px;
    this.#move(Math.min(1, Math.max(0, (at.x - left) / width)));
  }

  /** Sends a new place of the line, a share of the region's width, and shows it at once. */
  #move(share) {
    this.#held_until = performance.now() + hold_ms;
    this.#show(share);
    this.#stream.push({ mode: 'swipe', line: share });
  }

  update() {
    const region = swiped(this.#state);
    byId('swipe-part').hidden = this.#line.hidden = !region;
    if (!region) return;
    if (!this.#line.isConnected) this.#stage.append(this.#line); // the wall was laid out anew
    if (performance.now() < this.#held_until) return;
    const [left, , width] = region.canvas_px;
    this.#show((region.clip_px[0] - left) / width);
  }

  #show(share) {
    const [left, , width] = swiped(this.#state).canvas_px;
    const percent = this.#view.stagePercentOf(left + share * width);
    if (percent === null) return;
    this.#line.style.left = `${percent}%`;
    this.#slider.value = share * 100;
    setAttribute(this.#slider, 'aria-valuetext', `${this.#slider.value} %`);
  }
}
