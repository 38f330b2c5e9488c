// Dark or light: as the system has it, until somebody chooses.

import { byId, icon, setAttribute } from './elements.js';
import { memory } from './login.js';

const theme_key = 'tilewall.theme';

function shownTheme() {
  return (
    document.documentElement.dataset.theme ??
    (matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark')
  );
}

export function startTheme() {
  const chosen = memory.get(theme_key);
  if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen;
  const button = byId('theme-button');
  button.append(icon('theme'));
  const tell = () =>
    setAttribute(button, 'aria-label', shownTheme() === 'dark' ? 'Light theme' : 'Dark theme');
  button.addEventListener('click', () => {
    const theme = shownTheme() === 'dark' ? 'light' : 'dark';
    document.documentElement.dataset.theme = theme;
    memory.set(theme_key, theme);
    tell();
  });
  tell();
}
