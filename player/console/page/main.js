// Builds the page's parts and hands them to each other.

import { Actions } from './actions.js';
import { Connection } from './connection.js';
import { CueStore } from './cue_store.js';
import { Flight } from './flight.js';
import { Graphs } from './graphs.js';
import { HealthView } from './health_view.js';
import { Keyboard } from './keyboard.js';
import { LogView } from './log_view.js';
import { Live } from './live.js';
import { login } from './login.js';
import { Masthead } from './masthead.js';
import { Movies } from './movies.js';
import { PanelConditions } from './panel_conditions.js';
import { PresenterView } from './presenter_view.js';
import { Safety } from './safety.js';
import { ShowControl } from './show_control.js';
import { ShowView } from './show_view.js';
import { Sound } from './sound.js';
import { WallState } from './state.js';
import { startTheme } from './theme.js';
import { Restarts } from './restarts.js';
import { Swipe } from './swipe.js';
import { Tools } from './tools.js';
import { Transport } from './transport.js';
import { view_names, Views } from './views.js';
import { WallPointer } from './wall_pointer.js';
import { WallTools } from './wall_tools.js';
import { WallView } from './wall_view.js';
import { byId } from './elements.js';

const redraw_ms = 100;
const silence_check_ms = 250; // the wall has hundreds of panels, and a panel's silence is told in seconds

startTheme();

const state = new WallState();
const masthead = new Masthead(state);
const conditions = new PanelConditions();
const wall = new WallView(byId('stage'), byId('stage-caption'), byId('troubles'), conditions);

const connection = new Connection({
  hello: (message) => {
    actions.role = message.role;
    masthead.greet(message);
  },
  state: ({ revision, state: whole }) => state.replace(revision, whole),
  patch: ({ revision, from, patch }) => {
    if (!state.patch(revision, from, patch)) connection.askForState();
  },
  picture: (picture) => wall.showPicture(picture),
  link: (link, detail) => {
    actions.isOpen = link === 'open';
    masthead.showLink(link, detail);
  },
  ended: () => begin('This session has ended. Open the address that the show printed last, or give a token.'),
});

const actions = new Actions(connection, byId('line'));
const store = new CueStore();
const show = new ShowControl(state, actions);
const safety = new Safety(state, actions);
const transport = new Transport(state, actions);
const live = new Live(state, actions, transport);
const flight = new Flight(state, actions);
const movies = new Movies(state, actions);
const sound = new Sound(state, actions);
const show_view = new ShowView(state, actions, show, store);
const presenter_view = new PresenterView(state, actions, show);
const health_view = new HealthView(state, conditions);
const graphs = new Graphs(byId('graphs'), state);
const log_view = new LogView(state);
const tools = new Tools(state, actions);
const restarts = new Restarts(state, actions);
new WallPointer(byId('stage'), wall, state, actions);
new WallTools(state, actions, transport);
const swipe = new Swipe(byId('stage'), wall, state, actions);
const views = new Views((view) => viewChanged(view));
new Keyboard({
  state,
  actions,
  show,
  safety,
  store,
  onSearch: () => {
    views.open('show');
    show_view.focusSearch();
  },
});

function viewChanged(view) {
  connection.wantPictures(views.seesWall() && !document.hidden);
  presenter_view.seen(view === 'presenter');
  if (view === 'health') graphs.load();
  if (state.isKnown) update();
}

/** Shows a new state in the parts that are seen now. */
function update() {
  conditions.note(state);
  graphs.note();
  store.follow(state);
  masthead.update();
  safety.update();
  transport.update();
  live.update();
  sound.update();
  if (views.seesWall()) {
    wall.update(state);
    swipe.update();
    flight.update();
    movies.update();
  }
  if (views.seesShow()) show_view.update();
  tools.update();
  if (views.view === 'presenter') presenter_view.update();
  if (views.view === 'health') {
    health_view.update();
    restarts.update();
    graphs.draw();
    log_view.update();
  }
  actions.refresh();
}

let is_update_due = false;
state.subscribe(() => {
  if (is_update_due) return;
  is_update_due = true;
  // Several messages that wait are shown at once.
  setTimeout(() => {
    is_update_due = false;
    if (state.isKnown) update();
    else masthead.update();
  });
});

setInterval(() => {
  if (document.hidden || !state.isKnown) return;
  masthead.draw();
  if (views.seesWall()) transport.draw();
  if (views.seesShow()) show_view.draw();
  if (views.view === 'presenter') presenter_view.draw();
}, redraw_ms);

setInterval(() => {
  if (!document.hidden && state.isKnown && views.seesWall()) wall.draw(state);
}, silence_check_ms);

document.addEventListener('visibilitychange', () => viewChanged(views.view));
matchMedia(views.wide_query).addEventListener('change', () => viewChanged(views.view));

/** Tells the parts what this console offers; what it does not is left out. */
async function offer() {
  const response = await fetch('api/v1/openapi.json').catch(() => null);
  const paths = response?.ok ? new Set(Object.keys((await response.json()).paths ?? {})) : new Set();
  tools.offer(paths);
  flight.offer(paths);
  restarts.offer(paths);
}

async function begin(reason) {
  document.body.classList.add('is-waiting');
  const session = await login(view_names, reason);
  actions.role = session.role;
  masthead.showSession(session);
  document.body.classList.remove('is-waiting');
  views.start();
  connection.start();
  offer();
}

begin();
