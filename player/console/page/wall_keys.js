// The keys of panels' windows, with the names that the verb `key` takes, and the words that the page
// and OPERATING.md have for them. A clicker sends page up, page down, "b" or ".".

export const plain_keys = {
  ' ': 'toggle_pause', arrowleft: 'back', arrowright: 'forward', pageup: 'back_far',
  pagedown: 'forward_far', home: 'home', end: 'end', ',': 'step_back', '.': 'step_forward',
  '[': 'slower', ']': 'faster', backspace: 'normal_speed', r: 'reverse', l: 'toggle_loop',
  g: 'ping_pong', i: 'set_in', c: 'clear_range', n: 'next_item', p: 'previous_item',
  '+': 'zoom_in', '=': 'zoom_in', '-': 'zoom_out', a: 'pan_left', d: 'pan_right', w: 'pan_up',
  s: 'pan_down', z: 'view_whole', x: 'view_one_to_one', b: 'toggle_blank', m: 'toggle_mute',
  9: 'volume_down', 0: 'volume_up', o: 'toggle_overlay', e: 'toggle_hints', f: 'toggle_freeze',
  enter: 'enter', t: 'next_transfer', v: 'next_mode', h: 'toggle_lit', k: 'toggle_annotations',
  1: 'less_contrast', 2: 'more_contrast', 3: 'darker', 4: 'brighter', 5: 'fainter', 6: 'denser',
  7: 'lower_iso', 8: 'higher_iso', f1: 'cut_x_min', f2: 'cut_x_max', f3: 'cut_y_min',
  f4: 'cut_y_max', f5: 'cut_z_min', f6: 'cut_z_max', f7: 'uncut_all', f8: 'reset_style',
}; // prettier-ignore

export const shift_keys = {
  arrowleft: 'back_far', arrowright: 'forward_far', i: 'set_out', a: 'slide_left',
  d: 'slide_right', w: 'slide_up', s: 'slide_down', t: 'previous_transfer', v: 'previous_mode',
  f1: 'uncut_x_min', f2: 'uncut_x_max', f3: 'uncut_y_min', f4: 'uncut_y_max', f5: 'uncut_z_min',
  f6: 'uncut_z_max',
}; // prettier-ignore

export const ctrl_keys = { arrowleft: 'back_far', arrowright: 'forward_far', i: 'clear_range' };

/** Keys that a held key repeats. */
export const repeating = /^(back|forward|step_|zoom_|pan_|slide_|volume_|less_|more_|darker|brighter|fainter|denser|lower_|higher_|cut_|uncut_[xyz])/;

/** [keys, words] of each group, for the page's list of keys. */
export const key_groups = [
  ['Presentations', [
    ['page down, n, enter', 'go on to the next cue'],
    ['page up, p', 'go to the cue before'],
    ['a number and enter', 'go to the cue of that number'],
    ['b, .', 'black; the same again ends it'],
    ['f', 'freeze: the picture stays while time goes on'],
    ['/', 'search in the list of cues'],
  ]],
  ['Time', [
    ['space', 'pause or go on'],
    ['left, right', 'one second back, forward; ten seconds with shift or ctrl'],
    ['page up, page down', 'ten seconds back, forward, where there are no cues'],
    [', .', 'one frame (or timestep of a volume) back, forward'],
    ['home, end', 'first, last frame'],
    ['[ ]', 'half, double speed'],
    ['backspace', 'normal speed'],
    ['r', 'backwards'],
    ['l, g', 'loop; ping-pong'],
    ['i, shift i', 'start, end of the played range'],
    ['c', 'the whole movie'],
    ['n, p', 'next, previous movie of a list'],
  ]],
  ['View', [
    ['+ -', 'zoom'],
    ['w a s d', 'move the view; turn a volume'],
    ['shift w a s d', 'move the picture, of a volume too'],
    ['z', 'the whole picture'],
    ['x', 'pixel for pixel'],
    ['wheel, drag with the right button', 'zoom at the pointer'],
    ['drag', 'move the picture, or turn a volume'],
    ['drag with the middle button or shift', 'move the picture, of a volume too'],
    ['double click', 'pixel for pixel there, or the whole picture again'],
    ['two fingers', 'zoom and move'],
  ]],
  ['Wall', [
    ['m', 'mute'],
    ['9, 0', 'softer, louder'],
    ['b', 'black'],
    ['o', 'overlay: each panel shows its figures'],
    ['e', 'hints on or off: panels show what a key did'],
  ]],
  ['Volumes', [
    ['t, v; with shift backwards', 'next transfer function; next mode'],
    ['1 2', 'less, more contrast'],
    ['3 4', 'darker, brighter'],
    ['5 6', 'fainter, denser'],
    ['7 8', 'lower, higher value of the isosurface'],
    ['h, k', 'headlight; axes, colour bar and label'],
    ['F1 to F6; with shift back', 'cut the box (while the wall has the focus)'],
    ['F7, F8', 'the whole box; all values neutral (while the wall has the focus)'],
  ]],
]; // prettier-ignore
