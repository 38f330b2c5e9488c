// Going from cue to cue, for every view and for the keys.

/** The commands of a presentation; without one, `go` and `back` go through a list of movies. */
export class ShowControl {
  #state;
  #actions;

  constructor(state, actions) {
    this.#state = state;
    this.#actions = actions;
  }

  /**
   * Goes on to the next cue. The cue is named, so that two people who press at once go on by one:
   * where the cue is on the wall already, the wall changes nothing.
   */
  go(button) {
    const next = this.#state.presentation?.next;
    if (this.#state.presentation && !next) {
      this.#actions.tell('go: this is the last cue', 'refused');
      return null;
    }
    const fields = next ? { cue: next.name } : {};
    return this.#actions.run('next', fields, { button, words: next ? `go to ${next.name}` : 'next' });
  }

  back(button) {
    return this.#actions.run('previous', {}, { button, words: 'back' });
  }

  goTo(name, button) {
    return this.#actions.run('goto', { name }, { button, words: `go to ${name}` });
  }
}
