// The buttons above the bird's-eye view: zoom, the whole picture, pixel for pixel, and snapshots for the
// browser or into a file on the director's machine.

import { byId, element, icon, setAttribute } from './elements.js';
import { memory } from './login.js';

const zoom_step = 1.25;
const glide_s = 0.2;
const labels_key = 'tilewall.labels'; // `on` or `off`: what the person chose
const folder_key = 'tilewall.snapshots'; // where the last snapshot on the director's machine went
const least_labelled_px = 80; // height of a panel on the screen

/** "/shows/" of "/shows/tour.toml"; null without an absolute path. */
const folderOf = (path) => (path?.startsWith('/') ? path.slice(0, path.lastIndexOf('/') + 1) : null);

export class WallTools {
  #state;
  #actions;
  #transport;

  constructor(state, actions, transport) {
    this.#state = state;
    this.#actions = actions;
    this.#transport = transport;
    this.#bind('wall-zoom-in', 'zoom', { factor: zoom_step }, 'plus');
    this.#bind('wall-zoom-out', 'zoom', { factor: 1 / zoom_step }, 'minus');
    this.#bind('wall-whole', 'view', { whole: true }, 'whole');
    this.#bind('wall-one-to-one', 'one_to_one', {});
    this.#startLabels(byId('wall-labels'), byId('stage'));
    const snapshot = byId('wall-snapshot');
    snapshot.prepend(icon('camera'));
    snapshot.addEventListener('click', () => this.#takeSnapshot(snapshot));
    this.#bindFile(byId('wall-snapshot-file'), byId('snapshot-dialog'), byId('snapshot-file'));
  }

  /** Names and frames hide a part of small panels, and so they are off there until somebody wants them. */
  #startLabels(button, stage) {
    button.prepend(icon('label'));
    let chosen = memory.get(labels_key);
    const show = () => {
      const height_px = stage.querySelector('.panel')?.clientHeight ?? least_labelled_px;
      const on = chosen ? chosen === 'on' : height_px >= least_labelled_px;
      setAttribute(stage, 'data-labels', on);
      setAttribute(button, 'aria-pressed', on);
    };
    button.addEventListener('click', () => {
      chosen = stage.hasAttribute('data-labels') ? 'off' : 'on';
      memory.set(labels_key, chosen);
      show();
    });
    new ResizeObserver(show).observe(stage);
    show();
  }

  #bind(id, verb, fields, drawing) {
    const button = byId(id);
    if (drawing) button.prepend(icon(drawing));
    this.#actions.bind(button, verb, () => Boolean(this.#transport.region));
    button.addEventListener('click', () => {
      const region = this.#transport.region.region;
      this.#actions.run(verb, { region, ...fields, glide_s }, { button });
    });
  }

  async #takeSnapshot(button) {
    button.disabled = true;
    button.dataset.sent = 'sent';
    this.#actions.tell('snapshot: waiting for all panels', 'waiting');
    try {
      const response = await fetch('api/v1/snapshot', { cache: 'no-store' });
      if (!response.ok) {
        const answer = await response.json().catch(() => ({}));
        throw new Error(answer.error ?? `refused (${response.status})`);
      }
      this.#save(await response.blob());
    } catch (error) {
      this.#actions.tell(`snapshot: ${error.message}`, 'refused');
    } finally {
      button.disabled = false;
      delete button.dataset.sent;
    }
  }

  /** Asks for a path in a dialog, and has the wall's director write the picture there. */
  #bindFile(button, dialog, field) {
    button.append(icon('file'));
    this.#actions.bind(button, 'snapshot').addEventListener('click', () => {
      const show_folder = folderOf(this.#state.presentation?.file);
      field.value = `${memory.get(folder_key) ?? show_folder ?? '/tmp/'}${this.#name()}`;
      dialog.showModal();
    });
    byId('snapshot-cancel').addEventListener('click', () => dialog.close());
    byId('snapshot-form').addEventListener('submit', (event) => {
      event.preventDefault();
      dialog.close();
      this.#writeFile(field.value.trim(), button);
    });
  }

  async #writeFile(file, button) {
    const result = (answer) =>
      answer.error ?? [answer.file, `frame ${answer.frame}`, answer.note].filter(Boolean).join(', ');
    const answer = await this.#actions.run('snapshot', { file }, { button, result });
    if (answer) memory.set(folder_key, folderOf(file));
  }

  /** A file's name with the wall's name and the wall's date. */
  #name() {
    const wall = (this.#state.wall?.name ?? 'wall').replace(/[^\p{L}\p{N}]+/gu, '-');
    const when = new Date(this.#state.utcMs()).toISOString().replace(/[:.]/g, '-').slice(0, 19);
    return `${wall}-${when}.png`;
  }

  #save(picture) {
    const name = this.#name();
    const address = URL.createObjectURL(picture);
    const link = element('a', { href: address, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
    this.#actions.tell(`snapshot: ${name}`, 'done');
  }
}
