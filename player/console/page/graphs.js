// Ten minutes of the wall's figures as small graphs, from the console's history and from each status.

import { element, setAttribute, setText, svgElement } from './elements.js';
import { count, fixed, microseconds } from './words.js';

const window_ms = 600000;
// The drawing's own pixels; the style sheet stretches it.
const width_px = 300;
const height_px = 56;
const own_sample_ms = 2000;

const graphs = [
  { key: 'fps', title: 'Pictures a second', text: (value) => fixed(value), least_top: 1, second: 'due_fps' },
  { key: 'late', title: 'Late frames', text: count, least_top: 4, is_bars: true },
  { key: 'skew_p99_us', title: 'Skew, p99', text: microseconds, least_top: 100 },
];

export class Graphs {
  #state;
  #samples = [];
  #box;
  #parts = [];
  #sampled_at = 0;
  #late_before = null; // the count of late frames at the last own sample

  constructor(box, state) {
    this.#box = box;
    this.#state = state;
    for (const graph of graphs) this.#parts.push(this.#make(graph));
  }

  async load() {
    try {
      const response = await fetch('api/v1/history', { cache: 'no-store' });
      if (!response.ok) return;
      const history = await response.json();
      const newest_own = this.#samples;
      const known = (history.samples ?? []).filter((sample) => Number.isFinite(sample.at_utc_ms));
      const last_ms = known.at(-1)?.at_utc_ms ?? 0;
      this.#samples = [...known, ...newest_own.filter(({ at_utc_ms }) => at_utc_ms > last_ms)];
    } catch {
      // The page's own samples remain.
    }
    this.draw();
  }

  /** Takes a sample of the newest status. */
  note() {
    const status = this.#state.status;
    const now = performance.now();
    if (now - this.#sampled_at < own_sample_ms) return;
    this.#sampled_at = now;
    const late = status.frames_late ?? 0;
    const grown_by = Math.max(0, late - (this.#late_before ?? late));
    this.#late_before = late;
    this.#samples.push({
      at_utc_ms: this.#state.utcMs(),
      fps: status.fps,
      due_fps: status.due_fps,
      late: grown_by,
      skew_p99_us: status.skew_us?.p99,
    });
    const oldest = this.#state.utcMs() - window_ms;
    while (this.#samples.length && this.#samples[0].at_utc_ms < oldest) this.#samples.shift();
  }

  #make(graph) {
    const line = svgElement('path', { class: 'graph-line' });
    const second = svgElement('path', { class: 'graph-second' });
    const svg = svgElement(
      'svg',
      { viewBox: `0 0 ${width_px} ${height_px}`, preserveAspectRatio: 'none', role: 'img' },
      second,
      line
    );
    const value = element('output', { class: 'graph-value' });
    const most = element('span', { class: 'graph-most' });
    const head = element('figcaption', {}, element('span', {}, graph.title), value);
    const foot = element(
      'div',
      { class: 'graph-foot' },
      element('span', {}, '10 minutes ago'),
      most,
      element('span', {}, 'now')
    );
    this.#box.append(element('figure', { class: 'graph' }, head, svg, foot));
    return { graph, svg, line, second, value, most };
  }

  draw() {
    for (const part of this.#parts) this.#drawOne(part);
  }

  #drawOne({ graph, svg, line, second, value, most }) {
    const now = this.#state.utcMs();
    const amounts = this.#samples.map((sample) => sample[graph.key]);
    const values = amounts.filter(Number.isFinite);
    const newest = values.at(-1);
    const greatest = values.length ? Math.max(...values) : 0;
    const others = graph.second ? this.#samples.map((sample) => sample[graph.second]) : [];
    const top = Math.max(graph.least_top, greatest, ...others.filter(Number.isFinite)) * 1.05;
    const x = (sample) => width_px * (1 - (now - sample.at_utc_ms) / window_ms);
    const y = (amount) => height_px - 1 - (height_px - 2) * Math.min(1, amount / top);
    const path = (drawn, is_bars) => {
      let text = '';
      drawn.forEach((amount, i) => {
        if (!Number.isFinite(amount)) return;
        const left = x(this.#samples[i]).toFixed(1);
        const at = `${left} ${y(amount).toFixed(1)}`;
        if (!is_bars) text += `${text ? 'L' : 'M'}${at}`;
        else if (amount > 0) text += `M${left} ${height_px}L${at}`;
      });
      return text;
    };
    setAttribute(line, 'd', path(amounts, graph.is_bars));
    setAttribute(second, 'd', path(others, false));
    const sum = values.reduce((total, amount) => total + amount, 0);
    setText(value, graph.is_bars ? `${count(sum)} in 10 min` : graph.text(newest));
    setText(most, values.length ? `most ${graph.text(greatest)}` : 'no figures yet');
    setAttribute(
      svg,
      'aria-label',
      `${graph.title} in the last ten minutes: ${value.textContent}, ${most.textContent}`
    );
  }
}
