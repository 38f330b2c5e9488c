// Drives a real show through its page, and asserts by status and report what the wall did:
//   npm ci && CHROMIUM=/usr/bin/chromium node run.mjs [PART...]
// Parts: login, transport, pointer, cues, safety, presenter, snapshot, endless, overview, swipe, reasons, log, health,
// size, clock, search, pinch, feedback, two, roles, stalled, damage, restart, looks, flight, killed.
// Screenshots of every view come to build/browser. Exit code 77: skipped, with the reason.

import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { check, conclude, expect, until } from './checks.mjs';
import { checkFlight } from './flight_checks.mjs';
import { checkLooks } from './look_checks.mjs';
import { Pages } from './pages.mjs';
import { checkKilled, checkLog, checkLogin, checkRoles, checkTwoAtOnce } from './people_checks.mjs';
import {
  checkFeedback,
  checkHealth,
  checkManyCues,
  checkPinch,
  checkSize,
  checkWrongClock,
} from './page_checks.mjs';
import { checkReasons } from './reason_checks.mjs';
import { Show } from './show.mjs';
import { checkCues, checkPresenter, checkSafety } from './show_checks.mjs';
import {
  checkDamage,
  checkEndless,
  checkOverview,
  checkPointer,
  checkRestart,
  checkSnapshot,
  checkStalledPanel,
  checkSwipe,
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

/** Whether at some instant of the span every panel showed the picture with the hash in `wanted`. */
function showedAtOnce(report, wanted, { from_ns, to_ns }) {
  const isWanted = (panel, { due_ns, hash }) =>
    hash === wanted.get(panel) && due_ns > from_ns && due_ns < to_ns;
  const instants = report.per_panel.map(({ panel, frames = [] }) =>
    frames.filter((frame) => isWanted(panel, frame)).map(({ due_ns }) => due_ns)
  );
  return instants[0].some((due_ns) => instants.every((of_panel) => of_panel.includes(due_ns)));
}

async function checkReport(show, page, sought) {
  await check('the report: all panels showed the sought frame at one instant, pixel for pixel', async () => {
    const report = await show.end();
    expect(report?.per_panel, `a whole report, found ${report?.error ?? 'none'}`);
    const wanted = Show.hashesOf(root, 'demo:movie', 24);
    expect(wanted.size === 15, `15 panels in the reference run, found ${wanted.size}`);
    const all_did = showedAtOnce(report, wanted, sought);
    expect(all_did, 'an instant at which all panels showed the pictures of frame 24');
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
  // Checks with pages of their own.
  const apart = async (checks) => {
    await checks;
    await pages.keepOnly(page);
  };
  if (wants('login')) await checkLogin(show, page);
  const sought = wants('transport') ? await checkTransport(show, page) : null;
  if (wants('pointer')) await checkPointer(show, page);
  if (wants('cues')) await checkCues(show, page);
  if (wants('safety')) await checkSafety(show, page);
  if (wants('presenter')) await checkPresenter(show, page);
  if (wants('snapshot')) await checkSnapshot(show, page, folder);
  if (wants('reasons')) await checkReasons(root, page);
  if (wants('endless')) await checkEndless(show, page);
  if (wants('overview')) await apart(checkOverview(show, pages));
  if (wants('swipe')) await checkSwipe(show, page);
  if (wants('log')) await checkLog(show, page);
  if (wants('health')) await checkHealth(page);
  if (wants('size')) await apart(checkSize(pages));
  if (wants('clock')) await apart(checkWrongClock(show, pages));
  if (wants('search')) await apart(checkManyCues(pages));
  if (wants('pinch')) await apart(checkPinch(show, pages));
  if (wants('feedback')) await apart(checkFeedback(show, pages));
  if (wants('two')) await apart(checkTwoAtOnce(show, pages, page));
  if (wants('roles')) await apart(checkRoles(show, pages));
  if (wants('stalled')) await checkStalledPanel(show, page);
  if (wants('damage')) await checkDamage(show, page);
  if (wants('restart')) await checkRestart(show, page);
  if (wants('looks')) await apart(checkLooks(pages, folder));
  if (wants('login'))
    await check('the pages wrote no error or warning', async () =>
      expect(pages.problems.length === 0, pages.problems.slice(0, 5).join('; '))
    );
  if (wants('killed')) await checkKilled(show, page);
  if (wants('flight')) await checkFlight(root, browser, folder);
  if (sought) await checkReport(show, page, sought);
  await pages.close();
} catch (error) {
  console.log(`failed  ${error.message}`);
  process.exitCode = 1;
} finally {
  await browser.close();
  show?.clean();
}
process.exitCode = process.exitCode || conclude();
