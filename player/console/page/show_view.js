// The operator's view of a presentation: the list of cues, the cue on the wall, the next one and how
// ready the panels are, and notes.

import { armedByHost, armedFacts, cueTitle, followWords, onWallWords } from './cue_facts.js';
import { CueList } from './cue_list.js';
import { byId, element, setAttribute, setText } from './elements.js';
import { count, plural } from './words.js';

const most_note_bytes = 4096;

export class ShowView {
  #state;
  #actions;
  #show;
  #store;
  #list;
  #search = byId('cue-search');
  #hosts_shown = '';

  constructor(state, actions, show, store) {
    this.#state = state;
    this.#actions = actions;
    this.#show = show;
    this.#store = store;
    this.#list = new CueList(byId('cue-list'), {
      onSelect: () => this.#showSelected(),
      onGo: (cue) => show.goTo(cue.name),
    });
    store.subscribe(() => this.#showFound());
    this.#search.addEventListener('input', () => this.#searchNow());
    this.#search.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      this.#search.value = '';
      this.#searchNow();
      this.#search.blur();
    });
    this.#bindButtons();
  }

  #bindButtons() {
    const presents = () => Boolean(this.#state.presentation);
    const has_selected = () => presents() && Boolean(this.#list.selected);
    const bind = (id, verb, when, act) => {
      const button = byId(id);
      this.#actions.bind(button, verb, when).addEventListener('click', () => act(button));
    };
    bind(
      'show-go',
      'next',
      () => Boolean(this.#state.presentation?.next),
      (button) => this.#show.go(button)
    );
    bind('show-back', 'previous', presents, (button) => this.#show.back(button));
    bind('show-goto', 'goto', has_selected, (button) => this.#show.goTo(this.#list.selected.name, button));
    bind('show-arm', 'arm', has_selected, (button) => this.#arm(button));
    bind('show-note', 'note', has_selected, () => this.#editNote());
    bind('show-update', 'update', presents, (button) => this.#update(button));
    byId('note-form').addEventListener('submit', (event) => this.#saveNote(event));
    byId('note-cancel').addEventListener('click', () => byId('note-dialog').close());
  }

  #arm(button) {
    const cue = this.#list.selected.name;
    const options = { button, words: `arm ${cue}`, role_verb: 'arm' };
    this.#actions.run('cue', { verb: 'arm', cue }, options);
  }

  #update(button) {
    const result = (answer) => {
      if (answer.type === 'refused') return answer.error;
      const changes = answer.changed?.length ?? answer.changed ?? 0;
      return `${plural(Number(changes) || 0, 'change')} taken into the cue`;
    };
    this.#actions.run(
      'cue',
      { verb: 'update' },
      { button, words: 'cue update', role_verb: 'update', result }
    );
  }

  #editNote() {
    const cue = this.#list.selected;
    setText(byId('note-title'), `Note of cue ${cueTitle(cue)}`);
    byId('note-text').value = cue.note ?? '';
    byId('note-dialog').dataset.cue = cue.name;
    byId('note-dialog').showModal();
  }

  async #saveNote(event) {
    event.preventDefault();
    const cue = byId('note-dialog').dataset.cue;
    let note = byId('note-text').value.trim();
    while (new TextEncoder().encode(note).length > most_note_bytes) note = note.slice(0, -1);
    byId('note-dialog').close();
    const options = { words: `note of ${cue}`, role_verb: 'note' };
    const answer = await this.#actions.run('cue', { verb: 'note', cue, note }, options);
    if (answer) this.#store.setNote(cue, note);
  }

  #searchNow() {
    this.#showFound();
    this.#list.reveal();
  }

  #showFound() {
    const found = this.#store.search(this.#search.value);
    this.#list.show(found);
    const total = this.#store.cues.length;
    const words = this.#search.value.trim()
      ? `${count(found.length)} of ${plural(total, 'cue')}`
      : plural(total, 'cue');
    setText(byId('cue-count'), words);
    this.#showSelected();
  }

  #showSelected() {
    const cue = this.#list.selected;
    setText(byId('show-selected'), cue ? `${cueTitle(cue)}` : 'No cue selected');
    this.#actions.refresh();
  }

  update() {
    const presentation = this.#state.presentation;
    byId('show-none').hidden = Boolean(presentation) || !this.#state.isKnown;
    byId('show-all').hidden = !presentation;
    if (!presentation) return;
    setText(byId('show-title'), presentation.show);
    this.#list.mark(presentation.index, presentation.next?.index ?? -1);
    this.#showCard('now', presentation);
    this.#showCard('next', presentation.next);
    const armed = presentation.next ? armedFacts(presentation) : null;
    const badge = byId('next-armed');
    badge.hidden = !armed;
    setText(badge, armed?.words ?? '');
    setAttribute(badge, 'data-light', armed?.light);
    this.#showHosts();
    const unsaved = presentation.unsaved ?? 0;
    byId('show-unsaved').hidden = unsaved === 0;
    setText(
      byId('show-unsaved').firstChild,
      `${plural(unsaved, 'cue')} with changes that the show file lacks`
    );
    this.draw();
  }

  #showCard(name, cue) {
    const card = byId(`card-${name}`);
    setAttribute(card, 'data-colour', cue?.colour || null);
    setText(byId(`${name}-title`), cue ? cueTitle(cue) : 'The end of the show');
    setText(byId(`${name}-section`), cue?.section ?? '');
    setText(byId(`${name}-note`), cue?.note ?? '');
  }

  #showHosts() {
    const hosts = armedByHost(this.#state);
    const wanted = JSON.stringify(hosts);
    if (wanted === this.#hosts_shown) return;
    this.#hosts_shown = wanted;
    const rows = hosts.map(({ host, light, words }) =>
      element('li', { data: { light } }, element('b', {}, host), element('span', {}, words))
    );
    byId('next-hosts').replaceChildren(...rows);
  }

  /** Counts on between two states; called several times a second while the view is seen. */
  draw() {
    if (!this.#state.presentation) return;
    setText(byId('now-time'), onWallWords(this.#state));
    setText(byId('next-time'), followWords(this.#state));
  }

  focusSearch() {
    this.#search.focus();
    this.#search.select();
  }
}
