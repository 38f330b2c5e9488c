// Work on the show file beside the show: saving notes and updated cues, reloading, preflight and
// rehearsal. The console runs `tilewall` for each, and its results come with the state.

import { byId, element, setAttribute, setText } from './elements.js';
import { timeOfDay } from './words.js';

const tools = [
  { name: 'save', title: 'Save', words: 'writes notes and updated cues into the show file' },
  {
    name: 'reload',
    title: 'Reload',
    words: 'takes the show file anew; the wall stays in the cue of the same name',
  },
  {
    name: 'check',
    title: 'Preflight',
    words: 'whether hosts have the files, displays, memory and rates that the cues need',
  },
  {
    name: 'rehearse',
    title: 'Rehearse',
    words: 'runs all cues without this wall, and tells what was late or missing',
  },
];
const role_verb = 'update'; // whoever may update a cue may run these
const lights = { running: 'none', done: 'green', failed: 'red' };
const state_words = { running: 'is running', done: 'done', failed: 'failed', stopped: 'stopped' };

export class Tools {
  #state;
  #actions;
  #rows = new Map(); // name -> {row, line, output, button}
  #seen = new Map(); // name -> state of the run in the last update
  #is_offered = false;

  constructor(state, actions) {
    this.#state = state;
    this.#actions = actions;
    for (const id of ['tools-button', 'health-tools-button'])
      byId(id).addEventListener('click', () => byId('tools-dialog').showModal());
    const save = byId('show-save');
    actions.bind(save, role_verb, () => state.tools.save?.state !== 'running');
    save.addEventListener('click', () => this.#run('save', 'Save', save, this.#rows.get('save').line));
    for (const tool of tools) this.#rows.set(tool.name, this.#makeRow(tool));
  }

  /** The verbs and tools that this console has, as its OpenAPI file names them. */
  offer(paths) {
    this.#is_offered = tools.some(({ name }) => paths.has(`/tools/${name}`));
    for (const { name } of tools) this.#rows.get(name).row.hidden = !paths.has(`/tools/${name}`);
    this.update();
  }

  #makeRow({ name, title, words }) {
    const button = element('button', { type: 'button', id: `tool-${name}` }, title);
    const line = element('p', { class: 'tool-state', role: 'status' });
    const output = element('pre', { tabindex: '0', 'aria-label': `Output of ${title}`, hidden: true });
    const about = element('p', { class: 'quiet' }, words);
    const row = element('li', {}, element('div', { class: 'bar' }, button, about), line, output);
    this.#actions.bind(button, role_verb);
    button.addEventListener('click', () => this.#run(name, title, button, line));
    byId('tools-list').append(row);
    return { row, line, output, button };
  }

  async #run(name, title, button, line) {
    // A run that is under way is ended by the same button.
    const stop = this.#state.tools[name]?.state === 'running';
    button.dataset.sent = 'sent';
    setText(line, `${title}: sent`);
    try {
      const response = await fetch(`api/v1/tools/${name}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(stop ? { stop } : {}),
      });
      const answer = await response.json().catch(() => ({}));
      if (!response.ok) throw new Error(answer.error ?? `refused (${response.status})`);
      this.#actions.tell(`${title.toLowerCase()}: ${stop ? 'stopped' : 'started'}`, 'done');
    } catch (error) {
      setText(line, `${title}: ${error.message}`);
      this.#actions.tell(`${title.toLowerCase()}: ${error.message}`, 'refused');
    } finally {
      delete button.dataset.sent;
    }
  }

  /** Tells once in the line at the bottom that a run has ended, whoever began it. */
  #tellFinished() {
    for (const { name, title } of tools) {
      const run = this.#state.tools[name];
      const before = this.#seen.get(name);
      this.#seen.set(name, run?.state);
      if (before !== 'running' || !run || run.state === 'running') continue;
      const last_line = (run.text ?? '').trim().split('\n').at(-1);
      const words = run.state === 'failed' ? `failed: ${last_line}` : run.state;
      this.#actions.tell(`${title.toLowerCase()}: ${words}`, run.state === 'failed' ? 'refused' : 'done');
    }
  }

  update() {
    const is_hidden = !this.#is_offered || !this.#state.presentation;
    for (const id of ['tools-button', 'health-tools-button', 'show-save']) byId(id).hidden = is_hidden;
    this.#tellFinished();
    for (const { name, title } of tools) {
      const { line, output, button } = this.#rows.get(name);
      const run = this.#state.tools[name];
      setText(button, run?.state === 'running' ? `Stop ${title.toLowerCase()}` : title);
      if (!run) continue;
      setAttribute(line, 'data-light', lights[run.state] ?? 'none');
      const who = [run.by, timeOfDay(run.at_utc_ms)].filter(Boolean).join(', ');
      setText(line, `${state_words[run.state] ?? run.state} (${who})`);
      setText(output, run.text ?? '');
      output.hidden = !run.text;
    }
  }
}
