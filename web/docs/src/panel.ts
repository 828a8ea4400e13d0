// The panel at the top: whose key calls are signed with, and what is in the way of signing.
import type { Credentials } from './sign';

const form = document.querySelector<HTMLFormElement>('#signer')!;
const fault = form.querySelector<HTMLElement>('.fault')!;
const key = input('key');
const secret = input('secret');
const keep = input('keep');

function input(name: string): HTMLInputElement {
  return form.elements.namedItem(name) as HTMLInputElement;
}

// Where the browser keeps things until the tab is closed. It may be forbidden to.
const place = 'bourse-signer';

/** Makes the panel work. */
export function open(): void {
  const kept = stored();
  if (kept !== null) {
    key.value = kept.key;
    secret.value = kept.secret;
    keep.checked = true;
  }
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('input', () => {
    tell('');
    store();
  });
}

/** The key to sign with. */
export function credentials(): Credentials {
  tell('');
  for (const [field, what] of [[key, 'the API key and the secret of an account'], [secret, 'the secret of the API key']] as const) {
    if (field.value.trim() !== '') continue;
    field.focus();
    throw new Error(`This call is signed: enter ${what}, then press Execute again.`);
  }
  return { key: key.value.trim(), secret: secret.value.trim() };
}

/** Says what is wrong; '' takes back what was said. */
export function tell(text: string): void {
  fault.textContent = text;
  fault.hidden = text === '';
  if (text !== '') form.scrollIntoView({ block: 'nearest' });
}

function stored(): Credentials | null {
  try {
    return JSON.parse(sessionStorage.getItem(place) ?? 'null');
  } catch {
    return null;
  }
}

function store(): void {
  try {
    if (keep.checked) sessionStorage.setItem(place, JSON.stringify({ key: key.value, secret: secret.value }));
    else sessionStorage.removeItem(place);
  } catch {
    keep.checked = false;
    tell('This browser keeps nothing for this page.');
  }
}
