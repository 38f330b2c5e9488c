// The WebSocket to the console: it connects again by itself, and finds the answer to each request by
// its id. PROTOCOL.md in the folder above describes the messages.

const least_pause_s = 0.2; // between two attempts to connect; doubles up to most_pause_s
const most_pause_s = 2;
const answer_limit_s = 20; // a request that has no answer by then fails
const snapshot_limit_s = 95; // the console gives the wall 90 s for one
const silence_limit_s = 6; // the console sends a state every second or so; then the page asks for one
const repeat_limit_s = 10; // a request with `once` is repeated after a lost connection up to this age

/** Splits a binary frame into its JSON object and the JPEG data; null where its lengths are wrong. */
function parsePicture(buffer) {
  if (buffer.byteLength < 4) return null;
  const length = new DataView(buffer).getUint32(0, true);
  if (length > buffer.byteLength - 4) return null;
  try {
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
    return { ...header, data: new Uint8Array(buffer, 4 + length) };
  } catch {
    return null;
  }
}

/**
 * Handlers: hello(message), state(message), patch(message), picture(picture), link(state, detail)
 * with the states `connecting`, `open` and `lost`, and ended() where the session
 * is no longer valid.
 */
export class Connection {
  #handlers;
  #socket = null;
  #pending = new Map(); // id -> request
  #next_id = 1;
  #pause_s = least_pause_s;
  #heard_at = 0; // performance.now() of the newest message
  #asked_full_at = 0;
  #wants_pictures = false;
  #stopped = false;
  #retry = 0;

  constructor(handlers) {
    this.#handlers = handlers;
    setInterval(() => this.#watch(), 1000);
    addEventListener('online', () => this.#connectNow());
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) this.#watch();
    });
  }

  start() {
    this.#stopped = false;
    this.#connectNow();
  }

  stop() {
    this.#stopped = true;
    clearTimeout(this.#retry);
    this.#socket?.close();
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /**
   * Sends a verb and resolves with its answer, which may be {type: `refused`}. Rejects where no
   * answer came. `onReceived` is called once the console has sent the request to the director.
   */
  request(verb, fields = {}, onReceived = () => {}) {
    if (!this.isOpen) return Promise.reject(new Error('not connected'));
    return new Promise((resolve, reject) => {
      const id = this.#next_id++;
      const message = { type: 'request', id, verb, fields };
      const request = { message, resolve, reject, onReceived, sent_at: performance.now() };
      this.#pending.set(id, request);
      this.#send(message);
    });
  }

  askForState() {
    this.#asked_full_at = performance.now();
    this.#send({ type: 'full' });
  }

  /** Pictures of panels cost the wall something, so they are asked for only while they are seen. */
  wantPictures(on) {
    if (on === this.#wants_pictures) return;
    this.#wants_pictures = on;
    this.#send({ type: 'pictures', on });
  }

  #send(message) {
    if (this.isOpen) this.#socket.send(JSON.stringify(message));
  }

  #connectNow() {
    if (this.#stopped || (this.#socket && this.#socket.readyState <= WebSocket.OPEN)) return;
    clearTimeout(this.#retry);
    this.#handlers.link('connecting');
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const socket = new WebSocket(`${scheme}://${location.host}/ws`);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => this.#opened();
    socket.onmessage = (event) => this.#received(event.data);
    socket.onclose = () => this.#closed(socket);
    this.#socket = socket;
  }

  #opened() {
    this.#pause_s = least_pause_s;
    this.#heard_at = performance.now();
    this.#handlers.link('open');
    if (this.#wants_pictures) this.#send({ type: 'pictures', on: true });
    for (const request of this.#pending.values()) this.#send(request.message);
  }

  #closed(socket) {
    if (socket !== this.#socket) return;
    this.#socket = null;
    for (const request of [...this.#pending.values()]) {
      const age_s = (performance.now() - request.sent_at) / 1000;
      if (request.message.fields.once && age_s < repeat_limit_s && !this.#stopped) continue;
      this.#fail(request, 'the connection was lost before the answer came');
    }
    if (this.#stopped) return;
    this.#handlers.link('lost', `next attempt in ${this.#pause_s.toFixed(1)} s`);
    this.#retry = setTimeout(() => this.#checkSession(), this.#pause_s * 1000);
    this.#pause_s = Math.min(most_pause_s, this.#pause_s * 2);
  }

  // A browser does not tell why a WebSocket was refused, so the session is asked for beforehand.
  async #checkSession() {
    try {
      const limit = AbortSignal.timeout?.(5000);
      const response = await fetch('api/v1/session', { signal: limit, cache: 'no-store' });
      if (response.status === 401) {
        this.stop();
        this.#handlers.ended();
        return;
      }
    } catch {
      // The console is not there yet: the attempt below fails as well, and the next one follows.
    }
    this.#connectNow();
  }

  #fail(request, reason) {
    this.#pending.delete(request.message.id);
    request.reject(new Error(reason));
  }

  #received(data) {
    this.#heard_at = performance.now();
    if (typeof data !== 'string') {
      const picture = parsePicture(data);
      if (picture) this.#handlers.picture(picture);
      return;
    }
    let message;
    try {
      message = JSON.parse(data);
    } catch {
      return;
    }
    if (message.type === 'received') this.#pending.get(message.id)?.onReceived();
    else if (message.type === 'answer') this.#answered(message);
    else if (['hello', 'state', 'patch'].includes(message.type)) this.#handlers[message.type](message);
  }

  #answered(message) {
    const request = this.#pending.get(message.id);
    if (!request) return;
    this.#pending.delete(message.id);
    request.resolve(message.answer ?? {});
  }

  #giveUpLate(request, now) {
    const limit_s = request.message.verb === 'snapshot' ? snapshot_limit_s : answer_limit_s;
    if (now - request.sent_at > limit_s * 1000) this.#fail(request, `no answer within ${limit_s} s`);
  }

  #watch() {
    const now = performance.now();
    for (const request of [...this.#pending.values()]) this.#giveUpLate(request, now);
    if (!this.isOpen || now - this.#heard_at < silence_limit_s * 1000) return;
    // A computer that has slept may hold a connection that nobody serves any more.
    if (this.#asked_full_at < this.#heard_at) this.askForState();
    else if (now - this.#asked_full_at > 3000) this.#socket.close(4000, 'silent');
  }
}
