// Movies that are written on the show's machine now, by renderings and imports: how far each is, and
// its newest frame.

import { byId, element, setAttribute, setText } from './elements.js';
import { tools_verb } from './tool_orders.js';
import { count, countdown, fileName, fixed } from './words.js';

/** "12 of 600 frames, 4.2 a second, 2:20 left" */
function progressText({ done, total, unit, per_s, left_s }) {
  const parts = [`${count(done)}${total > 0 ? ` of ${count(total)}` : ''} ${unit}`];
  if (per_s > 0) parts.push(`${fixed(per_s, per_s < 1 ? 3 : 1)} a second`);
  if (Number.isFinite(left_s)) parts.push(`${countdown(left_s)} left`);
  return parts.join(', ');
}

export class Movies {
  #state;
  #actions;
  #rows = new Map(); // path of the movie -> {row, bar, text}

  constructor(state, actions) {
    this.#state = state;
    this.#actions = actions;
  }

  update() {
    const movies = this.#state.writtenMovies;
    const list = byId('movies');
    for (const [path, { row }] of this.#rows) {
      if (movies.some(({ movie }) => movie === path)) continue;
      row.remove();
      this.#rows.delete(path);
    }
    for (const movie of movies) {
      if (!this.#rows.has(movie.movie)) this.#rows.set(movie.movie, this.#makeRow(movie.movie, list));
      const { bar, text, picture } = this.#rows.get(movie.movie);
      const is_shown = Boolean(movie.picture) && this.#actions.may(tools_verb);
      if (is_shown) setAttribute(picture, 'src', `api/v1/movies/${movie.picture}`);
      picture.hidden = !is_shown;
      setAttribute(bar, 'max', movie.total || 1);
      setAttribute(bar, 'value', movie.total > 0 ? movie.done : null);
      setText(text, progressText(movie));
    }
    byId('movies-part').hidden = movies.length === 0;
  }

  #makeRow(path, list) {
    const bar = element('progress', { 'aria-label': fileName(path) });
    const text = element('span', { class: 'quiet' });
    const picture = element('img', { alt: `The newest frame of ${fileName(path)}`, hidden: true });
    const row = element('li', {}, picture, element('b', { title: path }, fileName(path)), bar, text);
    list.append(row);
    return { row, bar, text, picture };
  }
}
