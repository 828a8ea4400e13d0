// The box with the code of a request in four languages.
import { code, languages, type Call, type Language } from './code';
import { button, el } from './dom';
import * as panel from './panel';

let chosen: Language = 'curl';
const boxes = new Set<() => void>();

/** Draws all boxes again, as when the key changed. */
export function redraw(): void {
  for (const draw of boxes) draw();
}

/** A box for a call. */
export function box(call: Call): HTMLElement {
  const text = el('pre', { tabindex: '0', 'aria-label': 'Code' });
  const tabs = languages.map((language) =>
    button(language, { class: 'language', 'aria-pressed': 'false' }, () => {
      chosen = language;
      redraw();
    }),
  );
  const copy = button('Copy', { class: 'small' }, () => {
    void navigator.clipboard?.writeText(text.textContent ?? '').then(() => {
      copy.textContent = 'Copied';
      setTimeout(() => (copy.textContent = 'Copy'), 1500);
    });
  });
  const made = el('div', { class: 'code' }, el('div', { class: 'languages' }, ...tabs, copy), text);
  const draw = (): void => {
    if (made.isConnected || text.textContent === '') {
      text.textContent = code(chosen, call, panel.names());
      tabs.forEach((tab, i) => tab.setAttribute('aria-pressed', String(languages[i] === chosen)));
    } else {
      boxes.delete(draw); // what is closed is made again when it is opened
    }
  };
  boxes.add(draw);
  draw();
  return made;
}
