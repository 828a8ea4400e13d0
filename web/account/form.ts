// Forms whose buttons wait for the answer, and say what was wrong beside the field that it is about.
import { el } from '../docs/src/dom';
import { Refusal } from './call';

export function field(label: string, name: string, attributes: Record<string, string> = {}): HTMLLabelElement {
  return el('label', {}, label, el('input', { name, ...attributes }));
}

export const code = (label: string, required = true): HTMLLabelElement => field(label, 'code', {
  inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: '6', pattern: '[0-9]{6}', spellcheck: 'false', ...(required ? { required: '' } : {}),
});

/** A choice of one of several. */
export function choice(label: string, name: string, options: { value: string; text: string }[], chosen = ''): HTMLLabelElement {
  return el('label', {}, label, el('select', { name },
    ...options.map(({ value, text }) => el('option', { value, ...(value === chosen ? { selected: '' } : {}) }, text))));
}

/** Something that can be ticked. */
export function box(label: string, name: string, checked = false): HTMLLabelElement {
  return el('label', { class: 'box' }, el('input', { type: 'checkbox', name, ...(checked ? { checked: '' } : {}) }), el('span', {}, label));
}

/** A form that does something with what was typed. */
export function form(parts: (Node | string)[], text: string, act: (values: Record<string, string>) => Promise<void>): HTMLFormElement {
  const error = el('p', { class: 'error', role: 'alert' });
  const submit = el('button', { type: 'submit', class: 'main' }, text);
  const made = el('form', {}, ...parts, error, submit);
  made.addEventListener('submit', (event) => {
    event.preventDefault();
    const values: Record<string, string> = {};
    for (const [name, value] of new FormData(made)) if (typeof value === 'string') values[name] = value;
    void wait(submit, error, () => act(values), made);
  });
  return made;
}

/** A button that does something, and says beside it what was wrong. */
export function action(text: string, act: () => Promise<void>, attributes: Record<string, string> = {}): HTMLElement {
  const error = el('span', { class: 'error', role: 'alert' });
  const button = el('button', { type: 'button', ...attributes }, text);
  button.addEventListener('click', () => void wait(button, error, act));
  return el('span', { class: 'row' }, button, error);
}

/** A button that does something which cannot be taken back, when a person said so twice. */
export function grave(text: string, question: string, act: () => Promise<void>, attributes: Record<string, string> = {}): HTMLElement {
  return action(text, async () => { if (await sure(question, text)) await act(); }, attributes);
}

function sure(question: string, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    const dialog = el('dialog', { 'aria-labelledby': 'sure' });
    let yes = false;
    dialog.append(el('p', { id: 'sure' }, question), el('div', { class: 'row' },
      action(text, async () => {
        yes = true;
        dialog.close();
      }, { class: 'grave' }),
      action('Cancel', async () => dialog.close())));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(yes);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

async function wait(button: HTMLButtonElement, error: HTMLElement, act: () => Promise<void>, form?: HTMLFormElement): Promise<void> {
  button.disabled = true;
  error.textContent = '';
  form?.querySelectorAll('.beside').forEach((old) => old.remove());
  form?.querySelectorAll('[aria-invalid]').forEach((input) => input.removeAttribute('aria-invalid'));
  try {
    await act();
  } catch (reason) {
    const text = reason instanceof Error ? reason.message : String(reason);
    const input = reason instanceof Refusal && reason.field !== '' ? form?.elements.namedItem(reason.field) : null;
    if (input instanceof HTMLInputElement) {
      input.setAttribute('aria-invalid', 'true');
      input.after(el('span', { class: 'error beside', role: 'alert' }, text));
      input.focus();
    } else {
      error.textContent = text;
    }
  } finally {
    button.disabled = false;
  }
}

// Buttons wake when the page has been in view for so long: nobody clicks on what was not there a moment before.
const wakeAfter = 1000;

/** Lets buttons be pressed when the page has been in view for a while. */
export function wake(buttons: HTMLElement): void {
  const all = buttons.querySelectorAll('button');
  const set = (disabled: boolean): void => all.forEach((button) => { button.disabled = disabled; });
  let timer = 0;
  const look = (): void => {
    clearTimeout(timer);
    if (document.visibilityState !== 'visible') return;
    timer = window.setTimeout(() => {
      set(false);
      document.removeEventListener('visibilitychange', look);
    }, wakeAfter);
  };
  set(true);
  document.addEventListener('visibilitychange', look);
  look();
}
