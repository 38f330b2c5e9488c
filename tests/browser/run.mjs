// Drives a real show through its page, and asserts by status and report what the wall did:
//   npm ci && CHROMIUM=/usr/bin/chromium node run.mjs [PART...]
// Parts: login, transport, pointer, cues, safety, presenter, snapshot, two, roles, stalled, damage, restart,
// looks, killed.
// Screenshots of every view come to build/browser. Exit code 77: skipped, with the reason.

import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { check, conclude, expect, until } from './checks.mjs';
import { checkLooks } from './look_checks.mjs';
import { Pages } from './pages.mjs';
import { checkKilled, checkLogin, checkRoles, checkTwoAtOnce } from './people_checks.mjs';
import { Show } from './show.mjs';
import { checkCues, checkPresenter, checkSafety } from './show_checks.mjs';
import {
  checkDamage,
  checkPointer,
  checkRestart,
  checkSnapshot,
  checkStalledPanel,
  checkTransport,
} from './wall_checks.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = join(root, 'build/browser');
const parts = process.argv.slice(2);

const wants = (part) => parts.length === 0 || parts.includes(part);

function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}

async function startBrowser() {
  const program = process.env.CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(program)) skip(`no browser at ${program}; CHROMIUM names another one`);
  const playwright = await import('playwright-core').catch(() =>
    skip('playwright-core is not installed; run "npm ci" here')
  );
  return playwright.chromium.launch({
    executablePath: program,
    args: process.getuid() === 0 ? ['--no-sandbox'] : [],
  });
}

async function checkReport(show, page) {
  await check('the report: all panels showed the sought frame at one instant', async () => {
    const report = await show.end();
    expect(report, 'a report');
    const shown = report.per_panel.map(({ panel, frames = [] }) => ({
      panel,
      at: frames.filter(({ frame }) => frame === 24).map(({ due_ns }) => due_ns),
    }));
    const instants = new Set(shown[0].at.filter((due_ns) => shown.every(({ at }) => at.includes(due_ns))));
    expect(instants.size > 0, `an instant at which all ${shown.length} panels showed frame 24`);
  });
  await check('the page tells that the show has ended', async () =>
    until(async () => (await page.textContent('#notice')).includes('The show has ended'), 'the notice')
  );
}

const browser = await startBrowser();
mkdirSync(folder, { recursive: true });
let show;
try {
  show = await Show.start(root, ['--hashes', '--unarmed', 'now']);
  const pages = new Pages(browser, show);
  const page = await pages.open();
  if (wants('login')) await checkLogin(show, page);
  if (wants('transport')) await checkTransport(show, page);
  if (wants('pointer')) await checkPointer(show, page);
  if (wants('cues')) await checkCues(show, page);
  if (wants('safety')) await checkSafety(show, page);
  if (wants('presenter')) await checkPresenter(show, page);
  if (wants('snapshot')) await checkSnapshot(page, folder);
  if (wants('two')) await checkTwoAtOnce(show, pages, page);
  if (wants('roles')) await checkRoles(show, pages);
  if (wants('stalled')) await checkStalledPanel(show, page);
  if (wants('damage')) await checkDamage(show, page);
  const { paths } = await show.ask('openapi.json');
  if (wants('restart') && paths['/restart']) await checkRestart(show, page);
  if (wants('looks')) await checkLooks(pages, folder);
  if (wants('login'))
    await check('the pages wrote no error or warning', async () =>
      expect(pages.problems.length === 0, pages.problems.slice(0, 5).join('; '))
    );
  if (wants('killed')) await checkKilled(show, page);
  if (wants('transport')) await checkReport(show, page);
  await pages.close();
} catch (error) {
  console.log(`failed  ${error.message}`);
  process.exitCode = 1;
} finally {
  await browser.close();
  show?.clean();
}
process.exitCode = process.exitCode || conclude();
