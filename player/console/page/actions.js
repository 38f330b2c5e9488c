// Sends commands, shows on the button at once that it was pressed and received, and tells the result
// in the line at the bottom. Controls that the person's role may not use are disabled.

import { setText } from './elements.js';
import { plural, randomKey, someOf } from './words.js';

const presenters_verbs = new Set([
  'play',
  'pause',
  'toggle_pause',
  'reverse',
  'seek',
  'step',
  'speed',
  'loop',
  'range',
  'next',
  'previous',
  'goto',
  'view',
  'zoom',
  'one_to_one',
  'pan',
  'fit',
  'camera',
  'panic',
  'resume',
  'freeze',
  'blank',
  'mute',
  'volume',
  'key',
  'live',
  'arm',
  'preview_path',
]);

// The director does all other verbs once for each value of their field `once`, so that these may be
// sent again after a lost connection.
const has_no_once = new Set(['cue', 'cues', 'logs', 'show', 'snapshot', 'status']);

/**
 * Whether a role may use a verb; `arm`, `note` and `update` are those of the verb `cue`, and
 * `add_keyframe`, `remove_keyframe` and `preview_path` keys of the verb `key`.
 */
function roleMay(role, verb) {
  return role === 'operator' || (role === 'presenter' && presenters_verbs.has(verb));
}

/** One line about an answer of the director, without the verb. */
function resultText(answer, verb) {
  if (answer.type === 'refused') return answer.error ?? 'refused';
  const parts = [];
  const has_frame = ['seek', 'step'].includes(verb) && typeof answer.frame === 'number';
  if (has_frame) parts.push(`frame ${answer.frame}`);
  if (answer.not_shown?.length) parts.push(`not shown on ${someOf(answer.not_shown)}`);
  else if (!parts.length && answer.shown?.length)
    parts.push(`done on ${plural(answer.shown.length, 'panel')}`);
  return parts.join(', ') || 'done';
}

/** Repeats a change at the wall's own pace: while one request is under way, newer ones are joined. */
class Stream {
  #send;
  #join;
  #turnNow;
  #waiting = null;
  #turn = 0; // of the newest change: a command of somebody's hand since then has the line
  #is_busy = false;

  constructor(send, join, turnNow) {
    this.#send = send;
    this.#join = join;
    this.#turnNow = turnNow;
  }

  async push(change) {
    this.#turn = this.#turnNow();
    this.#waiting = this.#waiting ? this.#join(this.#waiting, change) : change;
    if (this.#is_busy) return;
    this.#is_busy = true;
    while (this.#waiting) {
      const next = this.#waiting;
      this.#waiting = null;
      await this.#send(next, this.#turn);
    }
    this.#is_busy = false;
  }
}

export class Actions {
  #connection;
  #line;
  #controls = [];
  #role = 'viewer';
  #is_open = false;
  #latest = 0;

  /** `line` is the element at the bottom that tells results. */
  constructor(connection, line) {
    this.#connection = connection;
    this.#line = line;
  }

  set role(role) {
    this.#role = role;
    this.refresh();
  }

  set isOpen(is_open) {
    this.#is_open = is_open;
    this.refresh();
  }

  get isOpen() {
    return this.#is_open;
  }

  may(verb) {
    return roleMay(this.#role, verb);
  }

  /** Enables `control` while the role may use `verb`, the console answers, and `when()` holds. */
  bind(control, verb, when = () => true) {
    this.#controls.push({ control, verb, when });
    control.dataset.verb = verb;
    this.#refreshOne({ control, verb, when });
    return control;
  }

  refresh() {
    for (const control of this.#controls) this.#refreshOne(control);
  }

  #refreshOne({ control, verb, when }) {
    const may = this.may(verb);
    const disabled = !may || !this.#is_open || !when();
    if (control.disabled !== disabled) control.disabled = disabled;
    // Buttons that have a drawing alone show their name to those who point at them.
    const title = may ? (control.getAttribute('aria-label') ?? '') : `Not for the role ${this.#role}`;
    if (control.title !== title) control.title = title;
  }

  /** Tells something in the line at the bottom; `kind` is `done`, `waiting` or `refused`. */
  tell(text, kind = 'done') {
    ++this.#latest;
    this.#show(text, kind);
  }

  #show(text, kind) {
    setText(this.#line, text);
    this.#line.dataset.kind = kind;
  }

  /**
   * Sends a verb and resolves with its answer, or null where it was refused or lost. Options: `words`
   * names the command in the line, `button` is the control that is marked meanwhile, `role_verb` is
   * what the role must be allowed where it is not the verb itself, `quiet` tells the result alone, for
   * hands that give many commands a second.
   */
  async run(verb, fields = {}, options = {}) {
    const words = options.words ?? verb.replace('_', ' ');
    const turn = options.turn ?? ++this.#latest;
    const mark = (state) => {
      if (options.button) options.button.dataset.sent = state;
    };
    const tell = (text, kind) => {
      // A later command's line stays where an earlier answer comes late, unless that is bad news.
      if (turn === this.#latest || kind === 'refused') this.#show(`${words}: ${text}`, kind);
    };
    if (!this.may(options.role_verb ?? verb)) {
      tell(`not for the role ${this.#role}`, 'refused');
      return null;
    }
    mark('sent');
    if (!options.quiet) tell('sent', 'waiting');
    try {
      const asked = has_no_once.has(verb) ? fields : { once: randomKey(), ...fields };
      const answer = await this.#connection.request(verb, asked, () => {
        mark('received');
        if (!options.quiet) tell('received', 'waiting');
      });
      const is_refused = answer.type === 'refused';
      const text = options.result?.(answer) ?? resultText(answer, verb);
      tell(text, is_refused ? 'refused' : 'done');
      return is_refused ? null : answer;
    } catch (error) {
      tell(error.message, 'refused');
      return null;
    } finally {
      if (options.button) delete options.button.dataset.sent;
    }
  }

  /** A stream of changes of one verb, such as those of a dragged picture; see Stream. */
  stream(verb, join, options = {}) {
    const send = (fields, turn) => this.run(verb, fields, { ...options, turn });
    return new Stream(send, join, () => this.#latest);
  }
}
