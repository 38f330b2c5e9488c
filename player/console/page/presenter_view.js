// The presenter's view for a phone or a tablet: the next cue with its note, a clock, a timer and
// large buttons, readable from 2 m.

import { armedFacts, followWords, onWallWords, presenterFacts } from './cue_facts.js';
import { byId, setAttribute, setText } from './elements.js';
import { memory } from './login.js';
import { duration, timeOfDay } from './words.js';

const timer_key = 'tilewall.timer'; // "RUNNING_SINCE_MS STOPPED_AT_S": one of them is 0

export class PresenterView {
  #state;
  #timer = { since_ms: 0, stopped_s: 0 };
  #screen_lock = null;

  constructor(state, actions, show) {
    this.#state = state;
    const bind = (id, verb, when, act) => {
      const button = byId(id);
      actions.bind(button, verb, when).addEventListener('click', () => act(button));
    };
    bind(
      'presenter-go',
      'next',
      () => Boolean(state.presentation?.next || !state.presentation),
      (button) => show.go(button)
    );
    bind(
      'presenter-back',
      'previous',
      () => true,
      (button) => show.back(button)
    );
    const [since_ms, stopped_s] = (memory.get(timer_key) ?? '0 0').split(' ').map(Number);
    if (Number.isFinite(since_ms) && Number.isFinite(stopped_s)) this.#timer = { since_ms, stopped_s };
    byId('timer-run').addEventListener('click', () => this.#toggleTimer());
    byId('timer-reset').addEventListener('click', () => this.#setTimer(0, 0));
  }

  /** A tablet's screen stays on while the view is seen, where the browser offers that. */
  async seen(is_seen) {
    try {
      if (is_seen && !this.#screen_lock) this.#screen_lock = await navigator.wakeLock?.request('screen');
      if (!is_seen) await this.#screen_lock?.release();
    } catch {
      // The screen goes dark by itself then.
    }
    if (!is_seen) this.#screen_lock = null;
  }

  #elapsedS() {
    const { since_ms, stopped_s } = this.#timer;
    return since_ms ? (Date.now() - since_ms) / 1000 : stopped_s;
  }

  #toggleTimer() {
    const elapsed_s = this.#elapsedS();
    if (this.#timer.since_ms) this.#setTimer(0, elapsed_s);
    else this.#setTimer(Date.now() - elapsed_s * 1000, 0);
  }

  #setTimer(since_ms, stopped_s) {
    this.#timer = { since_ms, stopped_s };
    memory.set(timer_key, `${since_ms} ${stopped_s}`);
    this.draw();
  }

  update() {
    const facts = presenterFacts(this.#state);
    byId('presenter-none').hidden = Boolean(facts) || !this.#state.isKnown;
    byId('presenter-all').hidden = !facts;
    if (!facts) return;
    setText(byId('presenter-now'), facts.now);
    setText(byId('presenter-now-note'), facts.now_note);
    setText(byId('presenter-next'), facts.next);
    setText(byId('presenter-note'), facts.note);
    setAttribute(byId('presenter-card'), 'data-colour', facts.colour);
    const presentation = this.#state.presentation;
    const armed = presentation?.next ? armedFacts(presentation) : null;
    const badge = byId('presenter-armed');
    badge.hidden = !armed;
    setText(badge, armed?.state ?? '');
    setAttribute(badge, 'data-light', armed?.light);
    this.draw();
  }

  draw() {
    setText(byId('presenter-clock'), timeOfDay(this.#state.utcMs(), false));
    setText(byId('presenter-timer'), duration(this.#elapsedS()));
    setText(byId('timer-run'), this.#timer.since_ms ? 'Stop' : 'Start');
    setText(byId('presenter-for'), this.#state.presentation ? onWallWords(this.#state) : '');
    setText(byId('presenter-follow'), this.#state.presentation ? followWords(this.#state) : '');
  }
}
