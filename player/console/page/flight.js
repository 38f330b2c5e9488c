// The flight path that a show keeps: key frames are taken from the wall, and the wall flies past them.

import { byId, element, setAttribute, setText } from './elements.js';
import { Endings, lastLine, press, showRun, stateText, tools_verb } from './tool_orders.js';
import { duration, fileName, plural } from './words.js';

const buttons = {
  add: ['add_keyframe', 'Key frame', 'what the wall shows becomes the next key of the path (e)'],
  remove: ['remove_keyframe', 'Remove nearest', 'the key frame nearest to what the wall shows goes (shift e)'],
  preview: ['preview_path', 'Preview', 'the wall flies the path from its first key to its last one'],
};
const stop_words = ['Stop preview', 'the flight ends where it is'];
const rendering = {
  name: 'render',
  title: 'Render',
  words: 'all hosts of the wall render the path as a movie, in a folder beside its file',
};
const least_keys = 2; // of a path that can be flown

export class Flight {
  #state;
  #actions;
  #answers = null; // number of answers in the last update; null before it
  #listed = '';
  #endings;

  constructor(state, actions) {
    this.#state = state;
    this.#actions = actions;
    const shows_volume = () => Boolean(state.regions[0]?.volume);
    const conditions = { preview: () => state.flightPath?.is_previewed || state.flightPath?.count >= least_keys };
    for (const [name, [key, words, help]] of Object.entries(buttons)) {
      const button = byId(`flight-${name}`);
      setText(button, words);
      setAttribute(button, 'aria-label', `${words}: ${help}`);
      const may = conditions[name] ?? (() => true);
      actions.bind(button, key, () => shows_volume() && Boolean(may()));
      button.addEventListener('click', () => this.#press(name, key, words, button));
    }
    this.#endings = new Endings(actions);
    const render = byId('flight-render');
    setAttribute(render, 'aria-label', `${rendering.title}: ${rendering.words}`);
    actions.bind(render, tools_verb, () => this.#rendering || state.flightPath?.count >= least_keys);
    render.addEventListener('click', () => press(actions, rendering, state.tools.render, render, byId('flight-rendered')));
  }

  /** The verbs and tools that this console has, as its OpenAPI file names them. */
  offer(paths) {
    byId('flight-render').hidden = !paths.has('/tools/render');
  }

  get #rendering() {
    return this.#state.tools.render?.state === 'running';
  }

  #press(name, key, words, button) {
    const stops = name === 'preview' && this.#state.flightPath?.is_previewed;
    // The result comes with the state.
    const result = (answer) => answer.error ?? 'ordered';
    const options = { button, role_verb: key, words: (stops ? stop_words[0] : words).toLowerCase(), result };
    this.#actions.run('key', { key: stops ? 'stop_preview' : key }, options);
  }

  update() {
    const path = this.#state.flightPath;
    const is_hidden = !path || !this.#actions.may('preview_path');
    byId('flight-part').hidden = is_hidden;
    if (!path) return;
    this.#tellAnswer(path, is_hidden);
    if (is_hidden) return;
    const [, words, help] = buttons.preview;
    const [shown, what] = path.is_previewed ? stop_words : [words, help];
    setText(byId('flight-preview'), shown);
    setAttribute(byId('flight-preview'), 'aria-label', `${shown}: ${what}`);
    this.#list(path);
    this.#showRendering();
  }

  #showRendering() {
    const run = this.#state.tools.render;
    const button = byId('flight-render');
    const line = byId('flight-rendered');
    this.#endings.update(rendering, run);
    const text = (now) => [`Render ${stateText(now)}`, lastLine(now)].filter(Boolean).join(': ');
    showRun(rendering, run, button, line, text);
    const words = this.#rendering ? 'Stop render: the same button goes on with it' : `${rendering.title}: ${rendering.words}`;
    setAttribute(button, 'aria-label', words);
    line.hidden = !line.textContent;
  }

  /** Tells each answer once in the line at the bottom, whoever gave the order. */
  #tellAnswer(path, is_hidden) {
    const kind = path.has_failed ? 'refused' : 'done';
    const is_new = this.#answers !== null && path.answers !== this.#answers;
    this.#answers = path.answers;
    if (is_new && !is_hidden) this.#actions.tell(path.answer, kind);
    const line = byId('flight-answer');
    setText(line, path.fault || path.answer);
    line.hidden = !line.textContent;
    setAttribute(line, 'data-kind', path.fault ? 'refused' : kind);
  }

  #list(path) {
    const wanted = JSON.stringify([path.file, path.count, path.keys]);
    if (wanted === this.#listed) return;
    this.#listed = wanted;
    const length_s = path.keys.at(-1)?.time_s;
    const parts = [`${plural(path.count, 'key')} in ${fileName(path.file)}`];
    if (path.count >= least_keys && Number.isFinite(length_s)) parts.push(duration(length_s));
    setText(byId('flight-count'), parts.join(', '));
    byId('flight-count').title = path.file;
    const rows = path.keys.map(({ number, name, time_s }) =>
      element(
        'li',
        {},
        element('b', {}, number),
        element('span', {}, name),
        element('span', { class: 'quiet' }, Number.isFinite(time_s) ? duration(time_s) : '')
      )
    );
    const list = byId('flight-keys');
    list.replaceChildren(...rows);
    list.hidden = rows.length === 0;
    list.scrollTop = list.scrollHeight;
  }
}
