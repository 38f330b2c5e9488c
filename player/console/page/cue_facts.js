// What a state tells about the cue on the wall and the next one, in words.

import { countdown, duration, plural, someOf } from './words.js';

const armed_lights = { armed: 'green', amber: 'yellow', arming: 'yellow', idle: 'none' };
const armed_words = {
  armed: 'armed: all panels are ready',
  amber: 'amber: ready as far as possible',
  arming: 'arming: panels are getting ready',
  idle: 'idle: panels have not been asked',
};

const most_hosts = 8; // that are listed one by one

/** {state, light, words} of the panels' readiness for the next cue; null without one. */
export function armedFacts(presentation) {
  const armed = presentation?.armed;
  if (!armed?.state) return null;
  const other = armed.cue && armed.cue !== presentation.next?.name ? ` (for ${armed.cue})` : '';
  const words = (armed_words[armed.state] ?? armed.state) + other;
  return { state: armed.state, light: armed_lights[armed.state] ?? 'none', words };
}

/** What a panel lacks: a text, or a list of them. */
function lackWords(missing) {
  return (Array.isArray(missing) ? missing.join(', ') : String(missing ?? '')) || 'not ready yet';
}

/** [{host, light, words}]: what each host's panels lack for the next cue. */
export function armedByHost(state) {
  const armed = state.presentation?.armed;
  if (!armed?.state || armed.state === 'idle') return [];
  const lacks = new Map((armed.missing ?? []).map(({ panel, missing }) => [panel, lackWords(missing)]));
  const hosts = new Map();
  for (const [name, panel] of state.panels) {
    const host = hosts.get(panel.host) ?? { panels: 0, missing: new Map() };
    ++host.panels;
    const lacking = lacks.get(name);
    if (lacking) host.missing.set(lacking, [...(host.missing.get(lacking) ?? []), name]);
    hosts.set(panel.host, host);
  }
  const rows = [...hosts].map(([host, { panels, missing }]) => {
    const reasons = [...missing].map(([reason, names]) => `${reason} (${someOf(names)})`);
    const is_ready = armed.state === 'armed' || (armed.state === 'amber' && !reasons.length);
    const words = reasons.join(', ') || `${is_ready ? 'armed' : 'arming'}: ${plural(panels, 'panel')}`;
    return { host, light: is_ready ? 'green' : 'yellow', words };
  });
  if (rows.length <= most_hosts) return rows;
  // On a large wall only the hosts that lack something have rows of their own.
  const waiting = rows.filter(({ light }) => light !== 'green');
  const ready = rows.length - waiting.length;
  return [
    { host: plural(ready, 'host'), light: ready ? 'green' : 'yellow', words: 'armed' },
    ...waiting.slice(0, most_hosts),
  ];
}

/** The seconds until the next cue follows by itself; null where it waits for a person. */
function followsInS(state) {
  const follows_in_s = state.presentation?.follows_in_s;
  if (typeof follows_in_s !== 'number') return null;
  return Math.max(0, follows_in_s - state.ageS());
}

function onWallForS(state) {
  const for_s = state.presentation?.for_s;
  return typeof for_s === 'number' ? Math.max(0, for_s + state.ageS()) : null;
}

/** "follows in 4.2 s", or "waits for go". */
export function followWords(state) {
  const presentation = state.presentation;
  if (!presentation?.next) return 'nothing follows';
  const left_s = followsInS(state);
  return left_s === null ? 'waits for go' : `follows in ${countdown(left_s)}`;
}

export function onWallWords(state) {
  const for_s = onWallForS(state);
  if (for_s === null) return '';
  const rounds = state.presentation.rounds ? `, round ${state.presentation.rounds + 1}` : '';
  return `for ${duration(for_s)}${rounds}`;
}

/** "3.5 turn" */
export function cueTitle(cue) {
  return cue ? [cue.number, cue.name].filter(Boolean).join('  ') : '–';
}

const itemTitle = (one) => (one ? [one.item + 1, one.title || one.name].join('  ') : null);

/** {now, now_note, next, note, colour} for people who present: of the cues, or of a list; null without either. */
export function presenterFacts(state) {
  const presentation = state.presentation;
  if (presentation) {
    const next = presentation.next;
    return {
      now: cueTitle(presentation),
      now_note: presentation.note ?? '',
      next: next ? cueTitle(next) : 'The end of the show',
      note: next?.note ?? '',
      colour: next?.colour || null,
    };
  }
  const playlist = state.region(null)?.playlist;
  if (!playlist) return null;
  const next = playlist.list?.find(({ item }) => item === playlist.item + 1);
  return {
    now: itemTitle(playlist),
    now_note: '',
    next: itemTitle(next) ?? 'The end of the list',
    note: '',
    colour: null,
  };
}
