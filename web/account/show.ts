// Parts that several pages show.
import { el } from '../docs/src/dom';
import type { Account } from './call';
import { action, choice } from './form';

export const moment = (seconds: number): string => new Date(seconds * 1000).toLocaleString();

/** A public part and its secret, which is shown once. */
export interface Pair { key: string; secret: string }

/** Shows a secret until a person says that it is kept. */
export function once(pair: Pair, text: string, saved: () => void): HTMLElement {
  return el('div', { class: 'once', role: 'status', tabindex: '-1' },
    el('p', {}, el('b', {}, text)),
    el('h4', {}, 'Public key'), el('p', { class: 'secret', id: 'pair-key' }, pair.key),
    el('h4', {}, 'Secret'), el('p', { class: 'secret', id: 'pair-secret' }, pair.secret),
    action('I saved it', async () => saved()));
}

/** Lets a master choose which of the accounts a page is about. */
export function chooser(accounts: Account[], chosen: string, page: string): HTMLElement[] {
  if (accounts.length < 2) return [];
  const label = choice('Account', 'account', accounts.map(({ id, name }) => ({ value: id, text: id === '' ? `${name} (main)` : name })), chosen);
  const select = label.querySelector('select')!;
  select.addEventListener('change', () => {
    location.assign(`account?${new URLSearchParams({ page, ...(select.value === '' ? {} : { account: select.value }) })}`);
  });
  return [label];
}
