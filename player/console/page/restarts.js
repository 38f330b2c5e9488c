// Restarts of single processes, which a person confirms: a panel, or a host's caster,
// decoder or launcher.

import { byId, element, setText } from './elements.js';

const restart_words = {
  panel: 'The panel is started again at once. Its picture is missing for about a second; the others play on.',
  caster: 'The caster draws the volumes of the host. Their last picture stays until it is back.',
  decoder: 'The decoder reads the ordinary movies of the host. Their last picture stays until it is back.',
  launcher: 'All panels of the host are started again. Their pictures are missing for a few seconds.',
};

const host_roles = ['caster', 'decoder', 'launcher'];

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

  constructor(state, actions) {
    this.#state = state;
    this.#actions = actions;
    actions.bind(this.#button, 'restart');
    this.#button.addEventListener('click', () => this.#restart());
  }

  offer(paths) {
    byId('restart-part').hidden = !paths.has('/restart');
  }

  async #restart() {
    const [role, ...rest] = this.#select.value.split(' ');
    const name = rest.join(' ');
    const what = role === 'panel' ? `panel ${name}` : `the ${role} of host ${name}`;
    const words = restart_words[role];
    if (!(await confirmed(`Restart ${what}?`, words, 'Restart'))) return;
    const fields = role === 'panel' ? { role, panel: name } : { role, host: name };
    this.#actions.run('restart', fields, { button: this.#button, words: `restart ${role} ${name}` });
  }

  update() {
    const panels = this.#state.panels.map(([name]) => name);
    const hosts = [...new Set(this.#state.panels.map(([, panel]) => panel.host))];
    const wanted = [...panels, ...hosts].join(' ');
    if (wanted === this.#listed) return;
    this.#listed = wanted;
    const before = this.#select.value;
    const options = [
      ...panels.map((name) => element('option', { value: `panel ${name}` }, `panel ${name}`)),
      ...host_roles.flatMap((role) =>
        hosts.map((host) => element('option', { value: `${role} ${host}` }, `${role} of ${host}`))
      ),
    ];
    this.#select.replaceChildren(...options);
    if (before) this.#select.value = before;
  }
}
