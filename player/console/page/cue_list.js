// Draws the list of cues. Only the rows that are seen have elements, so ten thousand cues cost no more
// than thirty.

import { element, setAttribute, setText } from './elements.js';

const spare_rows = 6; // above and below what is seen
const most_rows = 200; // more than any screen has

export class CueList {
  #box;
  #rows;
  #cues = [];
  #current = -1; // index in the show of the cue on the wall
  #next = -1;
  #selected = null; // name
  #row_px = 52;
  #onSelect;
  #onGo;
  #drawn = new Map(); // place in the list -> row

  /** `box` scrolls. `onSelect(cue)` and `onGo(cue)`, a double click or enter, are called with a cue. */
  constructor(box, { onSelect, onGo }) {
    this.#box = box;
    this.#rows = element('div', { class: 'cue-rows', role: 'presentation' });
    this.#onSelect = onSelect;
    this.#onGo = onGo;
    box.append(this.#rows);
    box.addEventListener('scroll', () => this.#draw(), { passive: true });
    box.addEventListener('keydown', (event) => this.#key(event));
    new ResizeObserver(() => this.#draw()).observe(box);
  }

  get selected() {
    return this.#cues.find(({ name }) => name === this.#selected) ?? null;
  }

  show(cues) {
    this.#cues = cues;
    const longest = cues.reduce((most, { number }) => Math.max(most, (number ?? '').length), 2);
    this.#rows.style.setProperty('--number', `${Math.min(longest, 8) + 1}ch`);
    this.#drawn.clear();
    this.#rows.replaceChildren();
    this.#draw();
  }

  /** Scrolls to the selected cue, else to the one on the wall. */
  reveal() {
    const selected = this.#cues.findIndex(({ name }) => name === this.#selected);
    this.#reveal(selected >= 0 ? selected : this.#placeOf(this.#current));
    this.#draw();
  }

  /** Marks the cue on the wall and the next one; follows the show unless somebody has scrolled away. */
  mark(current, next) {
    if (current === this.#current && next === this.#next) return;
    const was_seen = this.#isSeen(this.#placeOf(this.#current));
    const is_first = this.#current < 0;
    [this.#current, this.#next] = [current, next];
    if (was_seen || is_first) this.#reveal(this.#placeOf(current));
    this.#draw();
  }

  select(cue) {
    this.#selected = cue?.name ?? null;
    this.#onSelect(cue ?? null);
    this.#draw();
  }

  #placeOf(index) {
    return this.#cues.findIndex((cue) => cue.index === index);
  }

  #isSeen(place) {
    const top = place * this.#row_px;
    const { scrollTop, clientHeight } = this.#box;
    return place >= 0 && top >= scrollTop - this.#row_px && top < scrollTop + clientHeight;
  }

  /** Scrolls so that the row and the one after it are seen. */
  #reveal(place) {
    if (place < 0) return;
    const top = place * this.#row_px;
    const { scrollTop, clientHeight } = this.#box;
    if (top < scrollTop) this.#box.scrollTop = top;
    else if (top + 2 * this.#row_px > scrollTop + clientHeight)
      this.#box.scrollTop = top + 2 * this.#row_px - clientHeight;
  }

  #key(event) {
    const moves = { ArrowUp: -1, ArrowDown: 1 };
    const place = this.#cues.findIndex(({ name }) => name === this.#selected);
    if (event.key in moves) {
      const start = place < 0 ? this.#placeOf(this.#current) : place;
      const wanted = Math.min(this.#cues.length - 1, Math.max(0, start + moves[event.key]));
      if (this.#cues[wanted]) this.select(this.#cues[wanted]);
      this.#reveal(wanted);
    } else if (event.key === 'Enter' && place >= 0) {
      this.#onGo(this.#cues[place]);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #draw() {
    const { scrollTop, clientHeight } = this.#box;
    this.#rows.style.height = `${this.#cues.length * this.#row_px}px`;
    const first = Math.max(0, Math.floor(scrollTop / this.#row_px) - spare_rows);
    const seen_end = Math.ceil((scrollTop + clientHeight) / this.#row_px) + spare_rows;
    const end = Math.min(this.#cues.length, seen_end, first + most_rows);
    for (const [place, row] of this.#drawn) {
      if (place >= first && place < end) continue;
      row.remove();
      this.#drawn.delete(place);
    }
    let active = null;
    for (let place = first; place < end; ++place) {
      let row = this.#drawn.get(place);
      if (!row) {
        row = this.#makeRow(this.#cues[place], place);
        this.#drawn.set(place, row);
        this.#rows.append(row);
      }
      this.#markRow(row, this.#cues[place]);
      if (this.#cues[place].name === this.#selected) active = row.id;
    }
    setAttribute(this.#box, 'aria-activedescendant', active);
  }

  #makeRow(cue, place) {
    const row = element(
      'div',
      {
        class: 'cue',
        role: 'option',
        id: `cue-${cue.index}`,
        'aria-posinset': place + 1,
        'aria-setsize': this.#cues.length,
        data: { colour: cue.colour ?? '', cue: cue.name },
        on: { click: () => this.select(cue), dblclick: () => this.#onGo(cue) },
      },
      element('span', { class: 'cue-number' }, cue.number ?? ''),
      element('span', { class: 'cue-name' }, cue.name),
      element('span', { class: 'cue-note' }, cue.note ?? ''),
      element('span', { class: 'cue-section' }, cue.section ?? ''),
      element('span', { class: 'cue-mark' })
    );
    row.style.top = `${place * this.#row_px}px`;
    return row;
  }

  #markRow(row, cue) {
    const word = cue.index === this.#current ? 'on the wall' : cue.index === this.#next ? 'next' : '';
    setAttribute(row, 'data-place', word.replaceAll(' ', '-') || null);
    setAttribute(row, 'aria-selected', String(cue.name === this.#selected));
    setText(row.querySelector('.cue-mark'), word);
    setText(row.querySelector('.cue-note'), cue.note ?? '');
  }
}
