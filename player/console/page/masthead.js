// The top of the page: the wall's name, its light, who is here, and whether the console and the
// director answer.

import { away_reason } from './advice.js';
import { byId, setAttribute, setText } from './elements.js';
import { logout } from './login.js';
import { plural } from './words.js';

const stale_s = 4; // without a state for longer than this the page says so

export class Masthead {
  #state;
  #link = 'connecting';
  #detail = '';
  #run = null;
  #was_lost = false;
  #told = ''; // stays for a while after the connection is back
  #told_until = 0;
  #newest_command = '';

  constructor(state) {
    this.#state = state;
    for (const button of document.querySelectorAll('.logout')) button.addEventListener('click', logout);
  }

  showSession({ name, role }) {
    setText(byId('me'), name);
    setText(byId('my-role'), role);
  }

  /** The console's first message; another `run` means that it was started again. */
  greet({ run, name, role }) {
    if (name && role) this.showSession({ name, role });
    if (this.#run !== null && run !== this.#run)
      this.#tellFor('The console was started again; this page goes on.');
    else if (this.#was_lost) this.#tellFor('Connected again.');
    this.#run = run;
    this.#was_lost = false;
  }

  #tellFor(text) {
    this.#told = text;
    this.#told_until = performance.now() + 6000;
    this.draw();
  }

  showLink(link, detail = '') {
    this.#link = link;
    if (link !== 'connecting') this.#detail = detail;
    if (link === 'lost') this.#was_lost = true;
    document.body.dataset.link = this.#was_lost && link !== 'open' ? 'lost' : link;
    this.#showLight();
    this.draw();
  }

  update() {
    const { status, wall } = this.#state;
    const name = wall?.name ?? status.wall?.name ?? 'tilewall';
    setText(byId('wall-name'), name);
    this.#showLight();
    document.title = `${status.light === 'red' ? '! ' : ''}${name} – tilewall`;
    const browsers = this.#state.people.reduce((sum, person) => sum + (person.browsers ?? 1), 0);
    setText(byId('people'), plural(browsers, 'browser'));
    byId('people').title = this.#state.people.map((person) => `${person.name} (${person.role})`).join(', ');
    this.#showNewest();
    this.draw();
  }

  /** The status's light; none while the console does not answer, since nobody knows it then. */
  #showLight() {
    const { status } = this.#state;
    const is_away = this.#state.director !== 'connected';
    const is_known = this.#link === 'open' && this.#state.isKnown;
    const light = !is_known ? 'none' : is_away ? 'red' : (status.light ?? 'none');
    setAttribute(byId('light'), 'data-light', light);
    setText(byId('light-word'), light === 'none' ? '–' : light);
    const reason = is_away ? away_reason : (status.reasons?.[0] ?? '');
    setText(byId('light-reason'), is_known ? reason : '');
  }

  /** The newest command of anybody: two people at once see who gave it. */
  #showNewest() {
    const newest = this.#state.commands[0];
    if (!newest) return;
    const text = [newest.by, newest.what, newest.result].filter(Boolean).join(': ');
    if (text === this.#newest_command) return;
    this.#newest_command = text;
    setText(byId('newest'), text);
  }

  #notice() {
    if (this.#state.director === 'ended' && this.#link !== 'open') return 'The show has ended.';
    if (this.#link === 'lost' || (this.#link === 'connecting' && this.#was_lost))
      return `The console does not answer; the wall plays on. Connecting again${this.#detail ? `: ${this.#detail}` : ''}.`;
    if (this.#link === 'connecting') return '';
    if (this.#state.isKnown && this.#state.director === 'ended') return 'The show has ended.';
    if (this.#state.isKnown && this.#state.director !== 'connected')
      return 'The director is being started again; the panels play on. This page goes on by itself.';
    if (this.#state.isKnown && this.#state.ageS() > stale_s)
      return `No news from the wall for ${Math.round(this.#state.ageS())} s; what is shown is older.`;
    if (this.#link === 'open' && !this.#state.isKnown) return 'Waiting for the wall.';
    return performance.now() < this.#told_until ? this.#told : '';
  }

  draw() {
    const text = this.#notice();
    const notice = byId('notice');
    setText(notice, text);
    if (notice.hidden !== !text) notice.hidden = !text;
  }
}
