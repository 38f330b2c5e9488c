// Something that is on or off, and the newest command about it: whoever presses twice within the time
// that a state takes to come back means the opposite of the first press.

const memory_ms = 1500;

export class Toggle {
  #read;
  #wanted = null;
  #wanted_until = 0;

  /** `read()` tells what the state has. */
  constructor(read) {
    this.#read = read;
  }

  /** What to set now. */
  flip() {
    const is_on = performance.now() < this.#wanted_until ? this.#wanted : Boolean(this.#read());
    this.#wanted = !is_on;
    this.#wanted_until = performance.now() + memory_ms;
    return this.#wanted;
  }
}
