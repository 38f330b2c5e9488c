// Roles, two people at once, tokens, and what happens when the console is killed.

import { check, expect, until } from './checks.mjs';
import { openView, resultOf } from './pages.mjs';

export async function checkLogin(show, page) {
  await check('the token is gone from the address', async () => {
    expect(!page.url().includes(show.token('operator')), 'no token in the address');
  });
  await check('a token of another wall is refused in words', async () => {
    const context = await page.context().browser().newContext();
    const other = await context.newPage();
    await other.goto(`${show.url}#${'0'.repeat(show.token('viewer').length)}`);
    await other.fill('#login-name', 'Eve');
    await other.click('#login button[type=submit]');
    const line = other.locator('#login-error');
    await until(
      async () => (/does not belong to this wall/.test(await line.textContent()) ? true : null),
      'the refusal'
    );
    await context.close();
  });
}

export async function checkRoles(show, pages) {
  await check('a viewer sees everything and can change nothing', async () => {
    const viewer = await pages.open({ name: 'Vera', role: 'viewer' });
    await viewer.waitForSelector('.panel[data-pictured]');
    const enabled = await viewer.$$eval(
      '[data-verb]',
      (nodes) => nodes.filter((node) => !node.disabled).length
    );
    expect(enabled === 0, `no control that is enabled, found ${enabled}`);
    const before = (await show.status()).presentation.name;
    await viewer.keyboard.press('PageDown');
    await until(
      async () => (/not for the role viewer/.test(await viewer.textContent('#line')) ? true : null),
      'the refusal'
    );
    expect((await show.status()).presentation.name === before, 'the wall has stayed');
    await viewer.context().close();
  });
  await check('a presenter may go, but not edit notes', async () => {
    const presenter = await pages.open({ name: 'Pia', role: 'presenter', width: 360 });
    await openView(presenter, 'show');
    await presenter.waitForSelector('.cue[data-cue=two]');
    await presenter.click('.cue[data-cue=two]');
    expect(await presenter.locator('#show-note').isDisabled(), 'notes are disabled');
    expect(await presenter.locator('#show-go').isEnabled(), 'go is enabled');
    await presenter.context().close();
  });
}

/** Who went on from cue movie to cue two by "next", sorted, as the newest lines of the health view's log tell. */
async function peopleWhoWent(page) {
  await openView(page, 'health');
  const rows = await page.$$eval('#command-log li', (items) =>
    items.map((item) => ({
      by: item.querySelector('b').textContent,
      what: item.querySelector('span').textContent,
    }))
  );
  // The log keeps so many lines only, so lines are not counted from its end.
  const begin = rows.findIndex(({ what }) => what.startsWith('goto: name movie'));
  const people = rows.slice(0, Math.max(begin, 0)).filter(({ what }) => what.startsWith('next: cue two'));
  return people.map(({ by }) => by).sort();
}

export async function checkTwoAtOnce(show, pages, first) {
  await check('two people who press go at once go on by one cue, and see who did', async () => {
    const second = await pages.open({ name: 'Grace' });
    for (const page of [first, second]) await openView(page, 'show');
    await show.ask('goto', { name: 'movie' });
    await show.when(({ presentation }) => presentation.name === 'movie', 'cue movie', 30);
    for (const page of [first, second]) await page.waitForSelector('.cue[data-cue=two][data-place=next]');
    // A page that has heard of the other's go would go on to the next cue, so the console is stopped until both
    // have been pressed.
    const consolePid = show.pid('console');
    process.kill(consolePid, 'SIGSTOP');
    try {
      for (const page of [first, second]) await page.evaluate(() => document.querySelector('#show-go').click());
    } finally {
      process.kill(consolePid, 'SIGCONT');
    }
    await show.when(({ presentation }) => presentation.name === 'two', 'cue two', 30);
    for (const page of [first, second]) {
      await page.waitForSelector('.cue[data-cue=two][data-place=on-the-wall]');
      await until(async () => (await peopleWhoWent(page)).length >= 2 || null, 'two lines about cue two');
      const found = String(await peopleWhoWent(page));
      expect(found === 'Ada,Grace', `one line of Ada and one of Grace, found ${found}`);
    }
    expect((await show.status()).presentation.name === 'two', 'still cue two');
    await second.context().close();
  });
}

export async function checkLog(show, page) {
  await check('a refused command is red in the log, and one that was done is not', async () => {
    await show.ask('goto', { name: 'nowhere' });
    await show.ask('speed', { speed: 1 });
    await openView(page, 'health');
    const lightOf = (words) =>
      page.$$eval(
        '#command-log li',
        (rows, begin) => {
          const row = rows.find((one) => one.querySelector('span').textContent.startsWith(begin));
          return row && (row.dataset.light ?? 'none');
        },
        words
      );
    const refused = await until(() => lightOf('goto: name nowhere'), 'the refused command in the log');
    expect(refused === 'red', `a red row, found ${refused}`);
    const done = await until(() => lightOf('speed: speed 1'), 'the command that was done in the log');
    expect(done === 'none', `a row without a light, found ${done}`);
  });
}

const notice = (page, words) =>
  until(async () => (words.test(await page.textContent('#notice')) ? true : null), `the notice ${words}`, 20);

async function checkOrders(show, page) {
  await page.click('#bottom [data-safety=black]');
  await show.when((status) => status.scene.blank, 'black by the same page', 10);
  await page.click('#bottom [data-safety=black]');
  await show.when((status) => !status.scene.blank, 'no longer black', 10);
}

export async function checkKilled(show, page) {
  await openView(page, 'wall');
  await check('the page goes on by itself after the console was killed', async () => {
    process.kill(show.pid('console'), 'SIGKILL');
    await notice(page, /started again/);
    await checkOrders(show, page);
  });
  await check('a command that the killed console has not read is given once by the next one', async () => {
    const before = show.pid('console');
    process.kill(before, 'SIGSTOP');
    await page.click('#bottom [data-safety=black]');
    process.kill(before, 'SIGKILL');
    await show.when((status) => status.scene.blank, 'black', 20);
    const { text } = await resultOf(page, 'black');
    expect(text === 'black: on', `"black: on", found "${text}"`);
    await page.click('#bottom [data-safety=black]');
    await show.when((status) => !status.scene.blank, 'no longer black', 10);
  });
  await check('the page goes on by itself after the director was killed', async () => {
    const before = show.pid('director');
    process.kill(before, 'SIGKILL');
    await until(() => ![before, null].includes(show.pid('director')) || null, 'another director');
    await until(
      async () => (await show.status().catch(() => null))?.phase === 'playing' || null,
      'its status'
    );
    await page.waitForSelector('#bottom [data-safety=black]:enabled');
    await checkOrders(show, page);
  });
}
