// Which of the views is seen: the address has its name, so "back" and bookmarks work.

import { byId, setAttribute } from './elements.js';

export const view_names = ['wall', 'show', 'presenter', 'health'];

export class Views {
  #onChange;
  #view = 'wall';
  /** A screen that is wide enough has the wall and the show side by side. */
  wide_query = '(min-width: 1700px)';

  constructor(onChange) {
    this.#onChange = onChange;
    addEventListener('hashchange', () => this.#follow());
    byId('skip').addEventListener('click', (event) => {
      event.preventDefault(); // the address keeps the view's name
      byId('main').focus();
    });
  }

  start() {
    this.#follow();
  }

  open(view) {
    if (view !== this.#view) location.hash = view;
    this.#follow();
  }

  get view() {
    return this.#view;
  }

  get #isWide() {
    return matchMedia(this.wide_query).matches && ['wall', 'show'].includes(this.#view);
  }

  seesWall() {
    return this.#view === 'wall' || this.#isWide;
  }

  seesShow() {
    return this.#view === 'show' || this.#isWide;
  }

  #follow() {
    const wanted = location.hash.slice(1);
    this.#view = view_names.includes(wanted) ? wanted : this.#view;
    document.body.dataset.view = this.#view;
    for (const name of view_names) {
      setAttribute(
        document.querySelector(`#views a[href="#${name}"]`),
        'aria-current',
        name === this.#view ? 'page' : null
      );
      byId(`view-${name}`).classList.toggle('is-open', name === this.#view);
    }
    this.#onChange(this.#view);
  }
}
