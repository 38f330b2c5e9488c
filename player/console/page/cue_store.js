// The list of cues, fetched in pieces: a show may have ten thousand.

const piece = 1000;

export class CueStore {
  #cues = [];
  #listeners = new Set();
  #known_edition = null;
  #is_loading = false;
  #wants_again = false;

  subscribe(listener) {
    this.#listeners.add(listener);
  }

  get cues() {
    return this.#cues;
  }

  /** Fetches the list where it is another one than the state's. */
  follow(state) {
    const presentation = state.presentation;
    if (!presentation) return;
    const edition = `${state.cuesEdition} ${presentation.cues} ${presentation.file}`;
    if (edition === this.#known_edition) return;
    this.#known_edition = edition;
    this.load();
  }

  async load() {
    this.#wants_again = true;
    if (this.#is_loading) return;
    this.#is_loading = true;
    while (this.#wants_again) {
      this.#wants_again = false;
      await this.#loadOnce().catch(() => {
        this.#known_edition = null; // the next state tries again
      });
    }
    this.#is_loading = false;
  }

  async #loadOnce() {
    const cues = [];
    let total = 1;
    while (cues.length < total) {
      const response = await fetch('api/v1/cues', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ first: cues.length, most: piece }),
      });
      if (!response.ok) throw new Error(`cues: ${response.status}`);
      const answer = await response.json();
      if (!answer.cues?.length) break;
      cues.push(...answer.cues);
      total = answer.count;
    }
    this.#cues = cues;
    for (const listener of this.#listeners) listener(this);
  }

  /** The cues whose number, name, note or section has the text. */
  search(text) {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return this.#cues;
    const has = (value) => value && String(value).toLowerCase().includes(wanted);
    return this.#cues.filter(
      ({ number, name, note, section }) => has(number) || has(name) || has(note) || has(section)
    );
  }

  byNumber(number) {
    return this.#cues.find((cue) => cue.number === number) ?? null;
  }

  /** Changes a note before the list is fetched again. */
  setNote(name, note) {
    const cue = this.#cues.find((one) => one.name === name);
    if (cue) cue.note = note;
    for (const listener of this.#listeners) listener(this);
  }
}
