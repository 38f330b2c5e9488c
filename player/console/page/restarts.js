// Restarts of single processes, which a person confirms: a panel, or all processes of a role.

import { byId, element, setText } from './elements.js';

/** Asks in a dialog; resolves with whether the person said yes. */
function confirmed(title, words, yes) {
  const dialog = byId('confirm-dialog');
  setText(byId('confirm-title'), title);
  setText(byId('confirm-words'), words);
  setText(byId('confirm-yes'), yes);
  dialog.returnValue = 'no';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}

export class Restarts {
  #state;
  #actions;
  #select = byId('restart-what');
  #button = byId('restart-button');
  #listed = '';
  #roles = ['caster', 'decoder', 'sound', 'launcher'];

  constructor(state, actions) {
    this.#state = state;
    this.#actions = actions;
    actions.bind(this.#button, 'restart');
    this.#button.addEventListener('click', () => this.#restart());
  }

  offer(paths) {
    byId('restart-part').hidden = !paths.has('/api/v1/restart');
  }

  async #restart() {
    const [kind, name] = this.#select.value.split(' ');
    const what = kind === 'panel' ? `panel ${name}` : `every ${name}`;
    const words = 'It is started again at once. What it shows or plays is missing for about a second; everything else goes on.';
    if (!(await confirmed(`Restart ${what}?`, words, 'Restart'))) return;
    this.#actions.run('restart', { [kind]: name }, { button: this.#button, words: `restart ${name}` });
  }

  update() {
    const panels = this.#state.panels.map(([name]) => name);
    const wanted = panels.join(' ');
    if (wanted === this.#listed) return;
    this.#listed = wanted;
    const before = this.#select.value;
    const options = [
      ...panels.map((name) => element('option', { value: `panel ${name}` }, `panel ${name}`)),
      ...this.#roles.map((name) => element('option', { value: `role ${name}` }, name)),
    ];
    this.#select.replaceChildren(...options);
    if (before) this.#select.value = before;
  }
}
