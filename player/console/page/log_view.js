// The log of commands and of what the wall told, and the logs of the wall's processes.

import { byId, element, setText } from './elements.js';
import { count, plural, timeOfDay } from './words.js';

const most_lines = 500;
const good_results = ['done', 'begun', 'stopped']; // any other text is the reason of a refusal

// A hand that moves gives many of these; the newest stands for those before it.
const streamed = /^(pan|zoom|camera|seek|volume|compare|key)\b/;

/** Joins the commands of one moving hand; `commands` has the newest first. */
function folded(commands) {
  const rows = [];
  for (const command of commands) {
    const verb = streamed.exec(command.what ?? '')?.[0];
    const last = rows.at(-1);
    const is_same =
      last && verb && last.verb === verb && last.by === command.by && last.result === command.result;
    if (is_same) ++last.times;
    else rows.push({ ...command, verb, times: 1 });
  }
  return rows;
}

export class LogView {
  #state;
  #commands = byId('command-log');
  #shown = '';

  constructor(state) {
    this.#state = state;
    byId('roles-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#fetchRole(byId('roles-role').value.trim());
    });
  }

  update() {
    const commands = this.#state.commands;
    const wanted = JSON.stringify(commands);
    if (wanted === this.#shown) return;
    this.#shown = wanted;
    const rows = folded(commands).map(({ at_utc_ms, by, what, result, times }) => {
      const is_bad = Boolean(result) && !good_results.includes(result);
      return element(
        'li',
        { data: is_bad ? { light: 'red' } : {} },
        element('time', {}, timeOfDay(at_utc_ms)),
        element('b', {}, by ?? ''),
        element('span', {}, times > 1 ? `${what} (${count(times)} times)` : (what ?? '')),
        element('span', { class: 'result' }, result ?? '')
      );
    });
    this.#commands.replaceChildren(...rows);
    byId('command-log-none').hidden = rows.length > 0;
  }

  async #fetchRole(role) {
    const button = byId('roles-form').querySelector('button');
    const line = byId('roles-line');
    button.dataset.sent = 'sent';
    setText(line, 'asking all hosts');
    try {
      const response = await fetch('api/v1/logs', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(role ? { role } : {}),
      });
      const answer = await response.json();
      if (!response.ok) throw new Error(answer.error ?? `logs: ${response.status}`);
      this.#showLines(answer, line);
    } catch (error) {
      setText(line, error.message);
    } finally {
      delete button.dataset.sent;
    }
  }

  #showLines(answer, line) {
    const lines = answer.lines.slice(-most_lines);
    // Times of the log are global time; the answer has one instant in global time and by the date.
    const utcMs = (at_ns) => (answer.utc_ns - (answer.now_ns - at_ns)) / 1e6;
    const rows = lines.map(({ at_ns, host, role, text }) =>
      element(
        'li',
        {},
        element('time', {}, timeOfDay(utcMs(at_ns))),
        element('b', {}, `${host} ${role}`),
        element('span', {}, text)
      )
    );
    const box = byId('roles-log');
    box.replaceChildren(...rows);
    box.scrollTop = box.scrollHeight;
    const cut = answer.is_cut || lines.length < answer.lines.length ? ', earlier ones left out' : '';
    const missing = answer.missing?.length ? `; no answer from ${answer.missing.join(', ')}` : '';
    setText(line, `${plural(lines.length, 'line')} of ${count(answer.lines.length)}${cut}${missing}`);
  }
}
