// The webhook of an account, or of one of its sub-accounts.
import { el } from '../docs/src/dom';
import { withFactor } from './again';
import { call, type Account, type Session } from './call';
import { action, box, field, form, grave } from './form';
import { chooser, moment, once } from './show';

interface Webhook {
  url: string; host: string; key: string; events: string[]; on: boolean; verified: boolean; checked: number; active: boolean; paused: boolean; waiting: number; secret?: string;
}

interface Webhooks { accounts: Account[]; events: string[]; webhook: Webhook | null }

interface Delivery { n: number; event: string; happened: number; outcome: string; attempts: number; status: number; milliseconds: number; tried: number; due: number }

/** Shows the webhook of an account. */
export async function webhook(session: Session, account: string): Promise<HTMLElement> {
  const section = el('section', { 'aria-labelledby': 'webhook' });
  const query = `account=${encodeURIComponent(account)}`;

  const draw = async (made?: Webhook): Promise<void> => {
    const { accounts, events, webhook: now } = await call<Webhooks>('GET', `webhook?${query}`);
    section.replaceChildren(
      el('h2', { id: 'webhook' }, 'Webhook'),
      ...chooser(accounts, account, 'webhook'),
      ...(made?.secret ? [once({ key: made.key, secret: made.secret }, 'Keep the secret now: it is not shown again.', () => void draw())] : []),
      ...(now ? [state(now), ...(now.verified ? [] : [verification(now)])] : [el('p', {}, 'There is none. A webhook tells a server of yours about deposits, withdrawals, refunds, codes and checks of addresses.')]),
      settings(events, now),
      ...(now ? [el('div', { class: 'row' },
        grave('New key and secret', 'Make another key and another secret? The host must be verified again with the new key.', async () => save({ rotate: true })),
        grave('Delete the webhook', 'Delete the webhook? Events that wait are dropped.', async () => {
          await withFactor(session, () => call('DELETE', 'webhook', { account }));
          await draw();
        })), await log()] : []),
    );
    section.querySelector<HTMLElement>('.once')?.focus();
  };

  const save = async (values: object): Promise<void> => {
    await draw(await withFactor(session, () => call<Webhook>('POST', 'webhook', { account, ...values })));
  };

  const state = (now: Webhook): HTMLElement => {
    const rows: [string, string][] = [
      ['State', now.active ? 'Active: events are sent.' : now.verified ? 'Switched off.' : now.on ? 'Waits until the host is verified.' : 'Switched off, and the host is not verified.'],
      ['Key', now.key],
      ['Host', `${now.host}, ${now.verified ? `verified; last looked at ${moment(now.checked)}` : 'not verified'}`],
      ['Waiting events', String(now.waiting)],
    ];
    return el('div', {},
      ...(now.paused ? [el('p', { class: 'error', role: 'status' }, 'The operators hold deliveries back at the moment. Events wait, for a day at most.')] : []),
      el('dl', {}, ...rows.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)])));
  };

  const verification = (now: Webhook): HTMLElement => {
    const base = `${new URL(now.url).protocol}//${now.host}`;
    return el('div', { id: 'verification' },
      el('h3', {}, 'Show that the host is yours'),
      el('p', {}, 'Put the key where only you can, in one of these places, and let us look:'),
      el('ol', {},
        el('li', {}, 'a TXT record of ', el('b', {}, new URL(now.url).hostname), ' with the value', el('p', { class: 'secret' }, now.key)),
        el('li', {}, 'a text file with nothing but the key at', el('p', { class: 'secret' }, `${base}/service-verification.txt`)),
        el('li', {}, 'the answer, 200 with this JSON, of', el('p', { class: 'secret' }, `${base}/service-verification`), el('p', { class: 'secret' }, JSON.stringify([now.key])))),
      action('Verify the host', async () => {
        await call('POST', 'webhook/verify', { account });
        await draw();
      }, { class: 'main' }));
  };

  const settings = (events: string[], now: Webhook | null): HTMLElement => {
    const boxes = events.map((event) => box(event, `event ${event}`, now ? now.events.includes(event) : true));
    const on = box('Send events', 'on', now?.on ?? true);
    return el('div', {},
      el('h3', {}, now ? 'Settings' : 'New webhook'),
      form([
        field('URL', 'url', { type: 'url', required: '', maxlength: '2000', placeholder: 'https://example.com/bourse', value: now?.url ?? '' }),
        el('fieldset', {}, el('legend', {}, 'Events'), ...boxes),
        on,
      ], now ? 'Save' : 'Make the webhook', async (values) => save({
        url: values['url'], on: 'on' in values, events: events.filter((event) => `event ${event}` in values),
      })));
  };

  const log = async (): Promise<HTMLElement> => {
    const body = el('tbody');
    const older = el('div', { class: 'row' });
    const load = async (before: number): Promise<void> => {
      const list = await call<Delivery[]>('GET', `webhook/log?${query}${before ? `&before=${before}` : ''}`);
      if (before === 0) body.replaceChildren();
      body.append(...list.map((one) => el('tr', {},
        el('td', {}, String(one.n)), el('td', {}, one.event), el('td', {}, moment(one.happened)), el('td', {}, `${one.outcome}${one.due ? `, again ${moment(one.due)}` : ''}`),
        el('td', {}, one.tried ? String(one.status || 'no answer') : ''), el('td', {}, one.tried ? `${one.milliseconds} ms` : ''))));
      const last = list.at(-1)?.n ?? 0;
      older.replaceChildren(action('Refresh', () => load(0)), ...(last > 1 ? [action('Older', () => load(last))] : []));
      if (body.childElementCount === 0) body.append(el('tr', {}, el('td', { colspan: '6' }, 'None in the last two days.')));
    };
    await load(0);
    return el('div', {},
      el('h3', { id: 'log' }, 'Deliveries'),
      el('div', { class: 'wide' }, el('table', { 'aria-labelledby': 'log' },
        el('thead', {}, el('tr', {}, ...['Event', 'Type', 'Happened', 'Outcome', 'Status', 'Time'].map((text) => el('th', {}, text)))), body)),
      older);
  };

  await draw();
  return section;
}
