// What to do about each reason that the status gives for its yellow or red light.

const advices = [
  // Why the show has failed.
  [
    /^no picture from /,
    'The show has begun without these panels, and they join once they can. Look at their logs below for what they lack.',
  ],
  [
    /stalled for .* the wall goes on without it/,
    'The others waited for this panel by "--late slow". Look at its log below and at the load of its host.',
  ],
  [
    /did not come back/,
    'Its keeper has given the panel up. Look at its log below, mend the cause, and start the show again.',
  ],
  [/^no panel is left/, 'Look at the logs below for why the panels ended, and start the show again.'],
  [
    /^content was frozen/,
    'The disk, server or decoder behind the picture did not answer for a while. Check it before the next show.',
  ],
  [/^--strict:/, 'The source has damage, or a host lost some of it. Check the file with "tilewall info --verify".'],
  [
    /^panel [^ ]+: /,
    'No panel can show this input. Check that every host has the file, and look at it with "tilewall info".',
  ],
  // What is wrong now.
  [
    /^host .* gone/,
    'The host is tried again by itself. Check its power and network; "tilewall wall survey" tells what it lacks.',
  ],
  [
    /^content frozen/,
    'The picture stays although the show goes on: the disk, server or decoder behind it does not answer. Check the source; it goes on by itself once it is back.',
  ],
  [
    / gone$/,
    'The panel is started again by itself. If it stays gone, look at its log below and at the host.',
  ],
  [
    /^no sign of life/,
    'The panel hangs. After 5 s it is killed and started again by itself; look at its log below.',
  ],
  [
    /late .*\(decode\)/,
    'The panels draw too slowly. Use a smaller movie or view, "--late lower", or fewer programs on the host.',
  ],
  [
    /late .*\(decoder\)/,
    'The decoder, disk or server is behind. Check the disk or network; import the movie for this wall; "--stage" reads ahead.',
  ],
  [
    /late .*\(swap\)/,
    'Pictures were ready but shown late: look for other programs on the host, and for the realtime priority of panels.',
  ],
  [
    /late .*\(stalled\)/,
    'A panel gave no sign of life for a while. Look at its log below and at the load of its host.',
  ],
  [
    /late .*\(gone\)/,
    'A panel had died and is back. Its log below and the crash file in the run directory tell why.',
  ],
  [
    /late .*\(released late\)/,
    'All panels wait for the slowest one by "--late slow". The table below tells which one is late; relieve its host.',
  ],
  [/late /, 'Look at the table of panels below: which panels are late, and by which cause.'],
  [/decoder died/, 'The movie damages its decoder. It is started again by itself; check or import the file.'],
  [
    /restarted in the last minute/,
    'Processes died and are back. The log below tells which; nothing is to be done if it stays at that.',
  ],
  [
    /damaged picture/,
    'Parts of the movie could not be decoded and stay as they last were. Check the file with "tilewall info --verify".',
  ],
  [
    /no clock daemon/,
    'The host goes on by its own clock. Check the network between the host and the clock daemon.',
  ],
  [
    /below full detail/,
    'The panels show a coarser picture to keep up. It becomes finer by itself when they can; a smaller view helps.',
  ],
  [
    /waiting for a picture/,
    'The show begins once all panels have their first picture, and without the missing ones after 10 s.',
  ],
  [/about to start/, 'Nothing is to be done.'],
  [
    /^the director does not answer/,
    'Panels play on meanwhile, and the director is started again by itself within a few seconds. Commands are refused until then.',
  ],
];

/** The console's own reason, while there is no director that could give any. */
export const away_reason = 'the director does not answer';

/** For a failure that is not in the table above: its own words tell what it is. */
export const general_advice =
  'The show has failed with this message. The logs below tell what came before it.';

/** What to do about a reason of a yellow or red light. */
export function adviceFor(reason) {
  return advices.find(([pattern]) => pattern.test(reason))?.[1] ?? general_advice;
}
