// Health: the light and its reasons with what to do, the wall's figures, and tables of panels and hosts.

import { adviceFor, away_reason } from './advice.js';
import { byId, element, setAttribute, setText } from './elements.js';
import { bytes, count, duration, fixed, microseconds, someOf } from './words.js';

const panel_columns = [
  'Panel',
  'Host',
  'State',
  'Frame',
  'Late',
  'Late by cause',
  'Skew p99',
  'Buffers',
  'Staged',
  'Memory at most',
  'Level',
  'Clock',
  'Restarts',
];
const host_columns = [
  'Host',
  'Panels',
  'State',
  'Late',
  'Late by cause',
  'Skew p99',
  'Clock bound',
  'Restarts',
  'Memory',
];

/** {cause: frames} of several panels together; the sum is their number of late frames. */
function lateByCause(panels) {
  const sums = {};
  const add = (cause, frames) => (sums[cause] = (sums[cause] ?? 0) + frames);
  for (const panel of panels) {
    const causes = Object.entries(panel.late_by_cause ?? {});
    for (const [cause, frames] of causes) add(cause, frames);
    // The other frames were left out on all panels to keep up, or are those of an absence until now.
    const others = (panel.frames_late ?? 0) - causes.reduce((sum, [, frames]) => sum + frames, 0);
    if (others > 0) add(panel.connected ? 'left out' : 'gone', others);
  }
  return sums;
}

/** "decode 120, swap 3": the causes with the most frames first. */
function causeWords(frames_by_cause) {
  const causes = Object.entries(frames_by_cause).sort(([, a], [, b]) => b - a);
  return causes.map(([cause, frames]) => `${cause} ${count(frames)}`).join(', ') || '–';
}

function makeTable(box, columns, caption) {
  const head = element('tr', {}, ...columns.map((text) => element('th', { scope: 'col' }, text)));
  const body = element('tbody');
  box.append(
    element('table', {}, element('caption', { class: 'unseen' }, caption), element('thead', {}, head), body)
  );
  return body;
}

/** Gives the table these rows of [text or {text, light}], and reuses the cells that it has. */
function fillTable(body, rows) {
  while (body.rows.length > rows.length) body.lastChild.remove();
  rows.forEach((cells, i) => {
    if (!body.rows[i])
      body.append(
        element('tr', {}, ...cells.map((_, k) => element(k ? 'td' : 'th', k ? {} : { scope: 'row' })))
      );
    cells.forEach((cell, k) => {
      const node = body.rows[i].cells[k];
      setText(node, cell?.text ?? cell);
      setAttribute(node, 'data-light', cell?.light);
    });
  });
}

const damage_words = {
  frames_damaged: 'damaged frames',
  frames_missing: 'missing frames',
  frames_repeated: 'repeated frames',
  frames_black: 'black frames',
  damaged_blocks: 'damaged blocks',
};

export class HealthView {
  #state;
  #conditions;
  #reasons_shown = '';
  #panels = makeTable(byId('panels-table'), panel_columns, 'Figures of each panel');
  #hosts = makeTable(byId('hosts-table'), host_columns, 'Figures of each host');

  constructor(state, conditions) {
    this.#state = state;
    this.#conditions = conditions;
  }

  update() {
    const status = this.#state.status;
    const is_away = this.#state.director !== 'connected';
    const reasons = is_away ? [away_reason] : (status.reasons ?? []);
    const light = is_away ? 'red' : (status.light ?? 'none');
    setAttribute(byId('health-light'), 'data-light', light);
    setText(byId('health-word'), light === 'none' ? '–' : light);
    this.#showReasons(reasons, light);
    this.#showFigures(status);
    const people = this.#state.people.map(
      ({ name, role, browsers }) => `${name} (${role}${browsers > 1 ? `, ${browsers} browsers` : ''})`
    );
    setText(byId('health-people'), people.join(', ') || '–');
    fillTable(
      this.#panels,
      this.#state.panels.map(([name, panel]) => this.#panelRow(name, panel))
    );
    fillTable(this.#hosts, this.#hostRows());
  }

  #showReasons(reasons, light) {
    const wanted = JSON.stringify([reasons, light]);
    if (wanted === this.#reasons_shown) return;
    this.#reasons_shown = wanted;
    const rows = reasons.map((reason) => {
      const advice = light === 'green' ? null : element('span', {}, adviceFor(reason));
      return element('li', {}, element('b', {}, reason), advice);
    });
    byId('health-reasons').replaceChildren(...rows);
  }

  #showFigures(status) {
    const skew = status.skew_us ?? {};
    const damage = Object.entries(damage_words)
      .filter(([key]) => status.damage?.[key] > 0)
      .map(([key, words]) => `${count(status.damage[key])} ${words}`);
    const ticks = status.decimation?.every_nth_tick ?? 1;
    const audio = status.audio ?? {};
    const figures = {
      rate: status.due_fps
        ? `${fixed(status.fps)} of ${fixed(status.due_fps)} pictures a second`
        : 'a still or a pause',
      late: `${count(status.frames_late)} of ${count(status.frames_due)} due`,
      skew: `${microseconds(skew.p50)} p50, ${microseconds(skew.p99)} p99, ${microseconds(skew.max)} most`,
      ticks:
        ticks > 1
          ? `one of ${count(ticks)} pictures (${status.decimation.cause ?? 'to keep up'})`
          : 'all pictures',
      damage: damage.join(', ') || 'none',
      restarts: count(status.restarts),
      running: duration(status.running_s),
      sound: [audio.state, audio.host && `on ${audio.host}`].filter(Boolean).join(' ') || '–',
      missing: status.missing_hosts?.length
        ? someOf(
            status.missing_hosts.map((host) => host.host ?? host),
            5
          )
        : 'none',
      note: status.last_note ?? 'none',
    };
    for (const [key, text] of Object.entries(figures)) setText(byId(`figure-${key}`), text);
  }

  #stateCell(name, panel) {
    const found = this.#conditions.of(name, panel, this.#state);
    if (!found.length) return { text: 'well', light: 'green' };
    return { text: found.map(({ word }) => word).join(', '), light: found[0].light };
  }

  #panelRow(name, panel) {
    const recent = this.#conditions.lateFrames(name);
    const is_unsure = panel.clock_state && panel.clock_state !== 'locked';
    return [
      name,
      panel.host,
      this.#stateCell(name, panel),
      panel.frame ?? '–',
      {
        text: recent ? `${count(panel.frames_late)} (+${recent})` : count(panel.frames_late),
        light: recent ? 'yellow' : null,
      },
      causeWords(lateByCause([panel])),
      microseconds(panel.skew_us?.p99),
      `${panel.buffers_ready ?? '–'} of ${panel.buffers ?? '–'}`,
      panel.stage_budget_bytes ? `${bytes(panel.staged_bytes)} of ${bytes(panel.stage_budget_bytes)}` : '–',
      bytes(panel.peak_rss_bytes || NaN),
      panel.level ?? '–',
      {
        text: `${panel.clock_state ?? '–'}, ${microseconds(panel.clock_bound_us)}`,
        light: is_unsure ? 'yellow' : null,
      },
      count(panel.restarts),
    ];
  }

  #hostRows() {
    const hosts = new Map();
    for (const [name, panel] of this.#state.panels)
      hosts.set(panel.host, [...(hosts.get(panel.host) ?? []), [name, panel]]);
    return [...hosts].map(([host, panels]) => {
      const figures = panels.map(([, panel]) => panel);
      const cells = panels.map(([name, panel]) => this.#stateCell(name, panel));
      const bad = cells.filter(({ light }) => light !== 'green');
      const worst = bad.some(({ light }) => light === 'red') ? 'red' : bad.length ? 'yellow' : 'green';
      const most = (pick) => Math.max(...figures.map((panel) => pick(panel) ?? 0));
      const sum = (pick) => figures.reduce((total, panel) => total + (pick(panel) ?? 0), 0);
      const words = bad.length ? `${bad.length} of ${panels.length} panels with trouble` : 'well';
      return [
        host,
        count(panels.length),
        { text: words, light: worst },
        count(sum((panel) => panel.frames_late)),
        causeWords(lateByCause(figures)),
        microseconds(most((panel) => panel.skew_us?.p99)),
        microseconds(most((panel) => panel.clock_bound_us)),
        count(sum((panel) => panel.restarts)),
        bytes(most((panel) => panel.host_memory_bytes) || NaN),
      ];
    });
  }
}
