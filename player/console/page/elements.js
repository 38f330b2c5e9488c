// Makes and changes elements. Every text is set as text, never as HTML: names come from outside.

const svg_space = 'http://www.w3.org/2000/svg';

function fill(node, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === 'on')
      for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
    else if (name === 'data') Object.assign(node.dataset, value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** An HTML element with attributes; `on` has event handlers and `data` data attributes. */
export function element(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

export function svgElement(tag, properties = {}, ...children) {
  return fill(document.createElementNS(svg_space, tag), properties, children);
}

/** Sets a text only where it differs, so that screen readers and selections are left in peace. */
export function setText(node, text) {
  const wanted = String(text ?? '');
  if (node.textContent !== wanted) node.textContent = wanted;
}

export function setAttribute(node, name, value) {
  if (value === null || value === undefined || value === false) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
  } else if (node.getAttribute(name) !== String(value)) {
    node.setAttribute(name, value);
  }
}

export const byId = (id) => document.getElementById(id);

const icon_paths = {
  play: 'M7 4v16l13-8z',
  pause: 'M6 4h4v16H6zM14 4h4v16h-4z',
  step_back: 'M16 4v16L5 12zM18 4h2v16h-2z',
  step_forward: 'M8 4v16l11-8zM4 4h2v16H4z',
  reverse: 'M17 4v16L4 12z',
  to_start: 'M4 4h3v16H4zM20 4v16L8 12z',
  to_end: 'M17 4h3v16h-3zM4 4v16l12-8z',
  sound: 'M4 9v6h4l5 4V5L8 9zM15.5 8.5a5 5 0 0 1 0 7l1.4 1.4a7 7 0 0 0 0-9.8z',
  muted:
    'M4 9v6h4l5 4V5L8 9zM15 9.4 16.4 8 19 10.6 21.6 8 23 9.4 20.4 12 23 14.6 21.6 16 19 13.4 16.4 16 15 14.6 17.6 12z',
  camera:
    'M9 4 7.5 6H4a2 2 0 0 0-2 2v10a2 2 0 0 0 2 2h16a2 2 0 0 0 2-2V8a2 2 0 0 0-2-2h-3.5L15 4zM12 8.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM12 10.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  file: 'M4 4h12l4 4v12H4zM7 5.5v4h8v-4zM7 13v5.5h10V13z',
  label: 'M3 3h9l9 9-9 9-9-9zM7.5 5.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  theme: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 5v14a7 7 0 0 0 0-14z',
  plus: 'M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z',
  minus: 'M5 11h14v2H5z',
  whole: 'M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z',
};

/** A drawing for a button that has its words elsewhere; screen readers pass over it. */
export function icon(name) {
  const path = svgElement('path', { d: icon_paths[name], 'fill-rule': 'evenodd' });
  return svgElement('svg', { viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': 'true' }, path);
}
