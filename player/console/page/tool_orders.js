// Begins and ends commands that the console runs, and tells what became of them.

import { setAttribute, setText } from './elements.js';
import { timeOfDay } from './words.js';

const lights = { running: 'none', done: 'green', failed: 'red' };
const state_words = { running: 'is running', done: 'done', failed: 'failed', stopped: 'stopped' };

export const tools_verb = 'update'; // whoever may update a cue may run commands

/** Begins a run, or ends it where `stop` is true, and resolves with null or the line of the refusal. */
async function order(name, stop) {
  try {
    const response = await fetch(`api/v1/tools/${name}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(stop ? { stop } : {}),
    });
    const answer = await response.json().catch(() => ({}));
    return response.ok ? null : (answer.error ?? `refused (${response.status})`);
  } catch (error) {
    return error.message;
  }
}

/** A run that is under way is ended by the same button. `line` tells what became of the order. */
export async function press(actions, tool, run, button, line) {
  const { name, title } = tool;
  const stop = run?.state === 'running';
  button.dataset.sent = 'sent';
  setText(line, `${title}: sent`);
  const refusal = await order(name, stop);
  delete button.dataset.sent;
  if (refusal) setText(line, `${title}: ${refusal}`);
  const words = refusal ?? (stop ? 'stopped' : 'started');
  actions.tell(`${title.toLowerCase()}: ${words}`, refusal ? 'refused' : 'done');
}

/** "is running (Ann, 12:00:00)" */
export function stateText(run) {
  const who = [run.by, timeOfDay(run.at_utc_ms)].filter(Boolean).join(', ');
  return `${state_words[run.state] ?? run.state} (${who})`;
}

/** Shows a run on its button and in its line, of which `text` makes the words. */
export function showRun({ title }, run, button, line, text = stateText) {
  setText(button, run?.state === 'running' ? `Stop ${title.toLowerCase()}` : title);
  if (!run) return;
  setAttribute(line, 'data-light', lights[run.state] ?? 'none');
  setText(line, text(run));
}

/** The last line that a run has printed. */
export function lastLine(run) {
  return (run?.text ?? '').trim().split('\n').at(-1);
}

/** Tells once in the line at the bottom that a run has ended, whoever began it. */
export class Endings {
  #actions;
  #seen = new Map(); // name -> state of the run in the last update

  constructor(actions) {
    this.#actions = actions;
  }

  update({ name, title }, run) {
    const before = this.#seen.get(name);
    this.#seen.set(name, run?.state);
    if (before !== 'running' || !run || run.state === 'running') return;
    const words = run.state === 'failed' ? `failed: ${lastLine(run)}` : run.state;
    this.#actions.tell(`${title.toLowerCase()}: ${words}`, run.state === 'failed' ? 'refused' : 'done');
  }
}
