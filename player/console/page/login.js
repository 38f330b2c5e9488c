// Who looks at the page: takes the token from the address, asks for a name, and begins a session.

import { byId, setText } from './elements.js';

const name_key = 'tilewall.name';
const most_name_bytes = 64;

/** localStorage may be forbidden in a private window; then the name is asked for each time. */
export const memory = {
  get(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  set(key, value) {
    try {
      localStorage.setItem(key, value);
    } catch {
      // Nothing is remembered.
    }
  },
};

/** Takes the token out of the address, where it would stay in the browser's history otherwise. */
function takeToken(view_names) {
  const fragment = location.hash.slice(1);
  if (!fragment || view_names.includes(fragment)) return null;
  history.replaceState(null, '', location.pathname + location.search);
  return fragment;
}

async function currentSession() {
  try {
    const response = await fetch('api/v1/session', { cache: 'no-store' });
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

/** Resolves with {name, role}, or throws an Error with one line for the person. */
async function beginSession(token, name) {
  let response;
  try {
    response = await fetch('api/v1/login', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token, name }),
    });
  } catch {
    throw new Error('The console does not answer. Is the show still running?');
  }
  if (response.ok) return response.json();
  if (response.status === 401)
    throw new Error(
      'This token does not belong to this wall: it is for another wall, or for an earlier start of this one. ' +
        'Open the address that the show printed last.'
    );
  if (response.status === 429) throw new Error('Too many attempts. Wait a few seconds.');
  const answer = await response.json().catch(() => ({}));
  throw new Error(answer.error ?? `The console refused the login (${response.status}).`);
}

function cleanName(text) {
  const encoder = new TextEncoder();
  let name = text.replace(/[\u0000-\u001f\u007f]/g, ' ').trim();
  while (encoder.encode(name).length > most_name_bytes) name = name.slice(0, -1);
  return name;
}

/** Shows the form and resolves with the session once the login has succeeded. */
function askInForm(token, error) {
  const form = byId('login-form');
  const name_field = byId('login-name');
  const token_field = byId('login-token');
  const line = byId('login-error');
  const button = form.querySelector('button');
  byId('login').hidden = false;
  byId('login-token-part').hidden = Boolean(token);
  token_field.required = !token;
  name_field.value = memory.get(name_key) ?? '';
  setText(line, error ?? '');
  (name_field.value && !token ? token_field : name_field).focus();
  return new Promise((resolve) => {
    form.onsubmit = async (event) => {
      event.preventDefault();
      const name = cleanName(name_field.value);
      // A person may paste the whole address instead of the token behind its "#".
      const used = token ?? token_field.value.trim().split('#').pop();
      if (!name || !used) return;
      button.disabled = true;
      try {
        const session = await beginSession(used, name);
        memory.set(name_key, name);
        byId('login').hidden = true;
        token_field.value = '';
        resolve(session);
      } catch (failure) {
        setText(line, failure.message);
        token = null;
        byId('login-token-part').hidden = false;
        token_field.required = true;
        token_field.focus();
      } finally {
        button.disabled = false;
      }
    };
  });
}

/** Resolves with {name, role}: by the token of the address, by the cookie, or by the form. */
export async function login(view_names, reason) {
  const token = takeToken(view_names);
  const name = memory.get(name_key);
  if (token && name) {
    try {
      return await beginSession(token, name);
    } catch (failure) {
      return askInForm(null, failure.message);
    }
  }
  const session = token ? null : await currentSession();
  return session ?? askInForm(token, reason);
}

export async function logout() {
  await fetch('api/v1/logout', { method: 'POST' }).catch(() => {});
  location.reload();
}
