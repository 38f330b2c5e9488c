// Work on the show file beside the show: saving notes and updated cues, reloading, preflight and
// rehearsal. The console runs `tilewall` for each, and its results come with the state.

import { byId, element, setText } from './elements.js';
import { Endings, press, showRun, tools_verb } from './tool_orders.js';

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
export class Tools {
  #state;
  #actions;
  #rows = new Map(); // name -> {row, line, output, button}
  #endings;
  #is_offered = false;

  constructor(state, actions) {
    this.#state = state;
    this.#actions = actions;
    this.#endings = new Endings(actions);
    for (const id of ['tools-button', 'health-tools-button'])
      byId(id).addEventListener('click', () => byId('tools-dialog').showModal());
    const save = byId('show-save');
    actions.bind(save, tools_verb, () => state.tools.save?.state !== 'running');
    save.addEventListener('click', () => this.#press(tools[0], save, this.#rows.get('save').line));
    for (const tool of tools) this.#rows.set(tool.name, this.#makeRow(tool));
  }

  /** The verbs and tools that this console has, as its OpenAPI file names them. */
  offer(paths) {
    this.#is_offered = tools.some(({ name }) => paths.has(`/tools/${name}`));
    for (const { name } of tools) this.#rows.get(name).row.hidden = !paths.has(`/tools/${name}`);
    this.update();
  }

  #press(tool, button, line) {
    return press(this.#actions, tool, this.#state.tools[tool.name], button, line);
  }

  #makeRow(tool) {
    const { name, title, words } = tool;
    const button = element('button', { type: 'button', id: `tool-${name}` }, title);
    const line = element('p', { class: 'tool-state', role: 'status' });
    const output = element('pre', { tabindex: '0', 'aria-label': `Output of ${title}`, hidden: true });
    const about = element('p', { class: 'quiet' }, words);
    const row = element('li', {}, element('div', { class: 'bar' }, button, about), line, output);
    this.#actions.bind(button, tools_verb);
    button.addEventListener('click', () => this.#press(tool, button, line));
    byId('tools-list').append(row);
    return { row, line, output, button };
  }

  update() {
    const is_hidden = !this.#is_offered || !this.#state.presentation;
    for (const id of ['tools-button', 'health-tools-button', 'show-save']) byId(id).hidden = is_hidden;
    for (const tool of tools) {
      const { line, output, button } = this.#rows.get(tool.name);
      const run = this.#state.tools[tool.name];
      this.#endings.update(tool, run);
      showRun(tool, run, button, line);
      if (!run) continue;
      setText(output, run.text ?? '');
      output.hidden = !run.text;
    }
  }
}
