// A real show with its console, started for the tests, and what programs can ask it.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { until } from './checks.mjs';

const end_limit_s = 20;
const wall_file = 'wallconfigs/mini-5x3.toml';
const programIn = (root) => process.env.TILEWALL ?? join(root, 'build/release/tilewall');
const more_cues = `
[[cue]]
name = "timed"
number = 6
black = false
input = "pattern:card"
follow = "after 3000"

[[cue]]
name = "damaged"
number = 7
colour = "red"
black = false
input = "damaged"
`;

export class Show {
  #process;
  #output = '';
  #folder = mkdtempSync(join(tmpdir(), 'tilewall-browser-'));
  #console = null;

  /**
   * Starts `tilewall present` in the repository's root; `options` are further arguments. The show is
   * the tour, but its cues wait for a person instead of following by themselves. Behind them come one that
   * is followed after 50 minutes, and one with damage.
   */
  static async start(root, options = []) {
    const show = new Show();
    const program = programIn(root);
    const tour = readFileSync(join(root, 'tests/shows/tour.toml'), 'utf8').replace(/^follow = .*$/gm, '');
    writeFileSync(join(show.#folder, 'tour.toml'), tour + more_cues);
    show.#makeDamagedMovie(program, join(root, 'tests/data/demo-wall.jpg'));
    await show.#begin(root, ['present', join(show.#folder, 'tour.toml'), ...options]);
    return show;
  }

  /** Starts `tilewall view` of a volume with further arguments, which keeps the flight path `flight.toml` in its folder. */
  static async startView(root, volume, options = []) {
    const show = new Show();
    const path = join(show.#folder, 'flight.toml');
    await show.#begin(root, ['view', volume, '--console', '--loop', '--keyframes', path, ...options]);
    return show;
  }

  async #begin(root, words) {
    const fixed = [
      ...['--wall', wall_file, '--headless'],
      ...['--run-dir', join(this.#folder, 'run'), '--report', join(this.#folder, 'report.json')],
      ...['--snapshot-folder', this.#folder],
    ];
    this.#process = spawn(programIn(root), [...words, ...fixed], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#process.stdout, this.#process.stderr])
      stream.on('data', (data) => (this.#output += data));
    const file = join(this.#folder, 'run/console.json');
    await until(() => this.#hasEnded() || existsSync(file), 'console.json in the run directory', 60);
    if (this.#hasEnded()) throw new Error(`the show has ended: ${this.#output}`);
    this.#console = JSON.parse(readFileSync(file));
    await until(
      async () => (await this.status().catch(() => null))?.phase === 'playing' || null,
      'the show plays',
      60
    );
  }

  static program(root) {
    return programIn(root);
  }

  /** {panel: hash} of one frame of an input as each panel shows it, by a run without a console. */
  static hashesOf(root, input, frame) {
    const folder = mkdtempSync(join(tmpdir(), 'tilewall-reference-'));
    const file = join(folder, 'report.json');
    const options = ['--headless', '--hashes', '--start', frame, '--frames', '1', '--report', file];
    try {
      execFileSync(programIn(root), ['play', input, '--wall', wall_file, ...options], {
        cwd: root,
        stdio: 'ignore',
      });
      const { per_panel } = JSON.parse(readFileSync(file));
      return new Map(per_panel.map(({ panel, frames }) => [panel, frames[0].hash]));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** A wall movie of one frame, of which one block cannot be decoded. */
  #makeDamagedMovie(program, picture) {
    const folder = join(this.#folder, 'damaged');
    execFileSync(program, ['import', picture, '-o', folder], { stdio: 'ignore' });
    const file = join(folder, 'frame-000000.tif');
    const data = readFileSync(file);
    const begin = Math.floor(data.length * 0.45);
    writeFileSync(file, data.fill(0xff, begin, begin + 3000));
  }

  #hasEnded() {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  /** The process of a role, such as `console`, `director` or `panel-3`; null where there is none now. */
  pid(role) {
    const file = join(this.#folder, 'run/pids', role);
    return existsSync(file) ? Number(readFileSync(file, 'utf8')) : null;
  }

  /** The console's address, such as http://127.0.0.1:40001/. */
  get url() {
    return this.#console.url.replace(/#.*/, '').replace(/\/*$/, '/');
  }

  /** Where the show file and the run directory are. */
  get folder() {
    return this.#folder;
  }

  token(role) {
    return this.#console.tokens[role];
  }

  /** Asks the machine interface as a program does. */
  async ask(verb, fields) {
    const headers = { Authorization: `Bearer ${this.token('operator')}`, 'X-Tilewall-Name': 'test' };
    const request = fields ? { method: 'POST', body: JSON.stringify(fields) } : {};
    const response = await fetch(`${this.url}api/v1/${verb}`, { ...request, headers });
    return response.json();
  }

  status() {
    return this.ask('status');
  }

  /** Resolves with the status once `holds(status)` is true. */
  async when(holds, what, limit_s) {
    return until(
      async () => {
        const status = await this.status().catch(() => null); // the console may be away
        if (!status?.scene) return null;
        return holds(status) ? status : null;
      },
      what,
      limit_s
    );
  }

  /** Ends the show and returns its report. */
  async end() {
    if (!this.#hasEnded()) this.#process.kill('SIGINT');
    await until(() => this.#hasEnded() || null, 'the show ends', end_limit_s);
    const file = join(this.#folder, 'report.json');
    return existsSync(file) ? JSON.parse(readFileSync(file)) : null;
  }

  /** Removes what the show has left, whatever happened before. */
  clean() {
    if (!this.#hasEnded()) this.#process.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
