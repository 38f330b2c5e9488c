// Browser pages of the console: one context, and so one session, for each person.

import { until } from './checks.mjs';

export const sizes = { 360: 740, 1024: 768, 2560: 1440 }; // width: height
export const views = ['wall', 'show', 'presenter', 'health'];

/** Runs in the page before its own scripts. */
function putDateWrong(off_ms) {
  const Right = Date;
  globalThis.Date = class extends Right {
    constructor(...parts) {
      super(...(parts.length ? parts : [Right.now() + off_ms]));
    }
    static now() {
      return Right.now() + off_ms;
    }
  };
}

export class Pages {
  #browser;
  #show;
  #contexts = [];
  problems = []; // what pages wrote to the browser's console, and failed requests

  constructor(browser, show) {
    this.#browser = browser;
    this.#show = show;
  }

  /**
   * Opens the page by the address that the show printed, and logs in by the form. `prepare(context)` is
   * called before it, `onResponse` with each response; `clock_off_ms` puts the browser's date wrong.
   */
  async open({
    name = 'Ada',
    role = 'operator',
    width = 1024,
    theme = 'dark',
    hasTouch = false,
    clock_off_ms = 0,
    prepare = () => {},
    onResponse = () => {},
  } = {}) {
    const viewport = { width, height: sizes[width] };
    const options = { viewport, hasTouch, colorScheme: theme, acceptDownloads: true };
    const context = await this.#browser.newContext(options);
    this.#contexts.push(context);
    if (clock_off_ms) await context.addInitScript(putDateWrong, clock_off_ms);
    await prepare(context);
    const page = await context.newPage();
    page.on('response', onResponse);
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.problems.push(`${name}: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.problems.push(`${name}: ${error.message}`));
    await page.goto(`${this.#show.url}#${this.#show.token(role)}`);
    await page.fill('#login-name', name);
    await page.click('#login button[type=submit]');
    await page.waitForSelector('body:not(.is-waiting)');
    await page.waitForFunction(() => document.querySelector('#light').dataset.light !== 'none');
    return page;
  }

  /** Opens the page without a token, where it asks for one. */
  async openLogin({ width }) {
    const context = await this.#browser.newContext({ viewport: { width, height: sizes[width] } });
    this.#contexts.push(context);
    const page = await context.newPage();
    await page.goto(this.#show.url);
    await page.waitForSelector('#login-token', { state: 'visible' });
    return page;
  }

  /** Closes the pages of everybody else, which would go on drawing the wall. */
  async keepOnly(page) {
    for (const context of this.#contexts) if (context !== page.context()) await context.close();
    this.#contexts = [page.context()];
  }

  async close() {
    for (const context of this.#contexts) await context.close();
  }
}

export async function openView(page, view) {
  await page.evaluate((name) => (location.hash = name), view);
  await page.waitForSelector(`#view-${view}.is-open`);
}

/** The line at the bottom, once it tells the result of a command. */
export async function resultOf(page, words, limit_s = 10) {
  return until(
    async () => {
      const { text, kind } = await page.$eval('#line', (line) => ({
        text: line.textContent,
        kind: line.dataset.kind,
      }));
      return text.startsWith(words) && kind !== 'waiting' ? { text, kind } : null;
    },
    `the line "${words}: ..."`,
    limit_s
  );
}
