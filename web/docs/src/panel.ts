// The panel at the top: whose key calls are signed with, and what is in the way of signing.
import type { Names } from './code';
import { button } from './dom';
import type { Credentials } from './sign';

const form = document.querySelector<HTMLFormElement>('#signer')!;
const fault = form.querySelector<HTMLElement>('.fault')!;
const guests = form.querySelector<HTMLElement>('.guests')!;
const key = input('key');
const secret = input('secret');
const keep = input('keep');

function input(name: string): HTMLInputElement {
  return form.elements.namedItem(name) as HTMLInputElement;
}

// Where the browser keeps things until the tab is closed. It may be forbidden to.
const place = 'bourse-signer';

/** An account that a demo hands out. */
interface Guest {
  name: string;
  apiKey: string;
  secret: string;
}

// The secrets that everybody who sees this page may know: they may stand in code.
const published = new Set<string>();

/** Makes the panel work. It says when the key is another one. */
export function open(changed: () => void): void {
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
    changed();
  });
  offer(changed).catch(() => {}); // a page without them is whole
}

/** Offers the accounts of a demo. Other exchanges have none to hand out. */
async function offer(changed: () => void): Promise<void> {
  const answer = await fetch('docs/guests.json');
  if (!answer.ok) return;
  const list: Guest[] = await answer.json();
  for (const guest of list) {
    published.add(guest.secret);
    guests.append(
      button(`Use ${guest.name}`, { class: 'small' }, () => {
        key.value = guest.apiKey;
        secret.value = guest.secret;
        tell('');
        store();
        changed();
      }),
    );
  }
  guests.hidden = list.length === 0;
}

/** The key to sign with. */
export function credentials(): Credentials {
  tell('');
  for (const [field, what] of [[key, 'the API key and the secret of an account'], [secret, 'the secret of the API key']] as const) {
    if (field.value.trim() !== '') continue;
    field.focus();
    throw new Error(`This call is signed: enter ${what}, then try again.`);
  }
  return { key: key.value.trim(), secret: secret.value.trim() };
}

/** The key as code shows it. A secret stands there only if a demo published it. */
export function names(): Names {
  const typed = secret.value.trim();
  return { key: key.value.trim() || 'YOUR_API_KEY', secret: published.has(typed) ? typed : 'YOUR_API_SECRET' };
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
