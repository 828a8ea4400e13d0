// The pages on which people sign in, look after their accounts, let programs act for them and pay partners: /signin, /welcome, /account,
// /consent and /express.
import { el } from '../docs/src/dom';
import { withFactor } from './again';
import { call, current, keep, type Session } from './call';
import { consent, grants } from './consent';
import { express, takeToken } from './express';
import { action, code, field, form } from './form';
import { keys } from './keys';
import { make } from './passkey';
import { moment } from './show';
import { signIn } from './signin';
import { subs } from './subs';
import { webhook } from './webhook';
import { offered, welcome, type Offer } from './welcome';

interface Listed { id: number; device: string; created: number; last_used: number; expires: number; current: boolean }

interface Notice { at: number; what: string; because: string }

const page = document.getElementById('page') as HTMLElement;

/** Shows the account of who is signed in, or the way in. */
async function show(): Promise<void> {
  const session = await current();
  if (!session.signed_in) {
    signIn(page, session, () => void guarded(show));
    return;
  }
  page.classList.remove('narrow');
  const asked = new URLSearchParams(location.search);
  const account = asked.get('account') ?? '';
  const head = [el('div', { class: 'row' }, el('h1', {}, session.account ?? ''), action('Sign out', async () => {
    await call('DELETE', 'session');
    await show();
  })), tabs(asked.get('page') ?? '')];
  switch (asked.get('page')) {
    case 'keys':
      page.replaceChildren(...head, await keys(session, account));
      return;
    case 'webhook':
      page.replaceChildren(...head, await webhook(session, account));
      return;
    case 'subs':
      page.replaceChildren(...head, await subs(session));
      return;
  }
  page.replaceChildren(
    ...head,
    el('p', {}, session.login ? `Signed in as ${session.login}.` : 'Signed in to an account of the demo.'),
    ...(session.restricted_until ? [el('p', { class: 'note' }, `Nothing can leave this account before ${moment(session.restricted_until)}, because a factor was changed.`)] : []),
    ...(session.factors ? [factors(session)] : []),
    ...(session.login ? [await grants(show)] : []),
    await sessions(),
    await notices(),
  );
}

/** The ways between the pages of an account. */
function tabs(now: string): HTMLElement {
  const link = (page: string, text: string): HTMLElement => el('a', {
    href: page === '' ? 'account' : `account?page=${page}`, ...(page === now ? { 'aria-current': 'page' } : {}),
  }, text);
  return el('nav', { class: 'tabs', 'aria-label': 'Account' }, link('', 'Security'), link('keys', 'API keys'), link('webhook', 'Webhook'), link('subs', 'Sub-accounts'));
}

/** Changes a factor; the browser goes on in another session. */
const change = (session: Session, method: string, path: string, body: () => unknown) => async (): Promise<void> => {
  keep(await withFactor(session, async () => call<Session>(method, path, await body())));
  await show();
};

function factors(session: Session): HTMLElement {
  const { password, totp, passkeys } = session.factors!;
  const authenticator = el('div', { class: 'row' });
  const begin = async (): Promise<void> => {
    const offer = await call<Offer>('POST', 'totp/offer');
    authenticator.replaceChildren(form([offered(offer), code('Code that it shows')], 'Use this authenticator',
      (values) => change(session, 'POST', 'totp', () => ({ ticket: offer.ticket, ...values }))()));
  };
  authenticator.append(totp ? 'An authenticator is set up.' : 'None.');
  if (password) authenticator.append(action(totp ? 'Replace the authenticator' : 'Set up an authenticator', begin));
  if (totp) authenticator.append(action('Remove the authenticator', change(session, 'DELETE', 'totp', () => ({}))));
  return el('section', { 'aria-labelledby': 'factors' },
    el('h2', { id: 'factors' }, 'How you sign in'),
    el('p', { class: 'note' }, 'A change signs out all other devices, and nothing can leave the account for three days.'),
    el('h3', {}, 'Password'),
    form([field('New password (12 characters or more)', 'password', { type: 'password', autocomplete: 'new-password', minlength: '12', maxlength: '128', required: '' })],
      password ? 'Change the password' : 'Set a password', (values) => change(session, 'POST', 'password', () => values)()),
    el('h3', {}, 'Authenticator'), authenticator,
    el('h3', {}, 'Passkeys'),
    el('ul', {}, ...passkeys.map((passkey) => el('li', {}, `${passkey.title}, since ${moment(passkey.created)} `,
      action(`Remove ${passkey.title}`, change(session, 'DELETE', 'passkeys', () => ({ id: passkey.id })))))),
    ...(session.passkeys ? [action('Add a passkey', change(session, 'POST', 'passkeys', async () => ({ passkey: await make('add') })))] : []));
}

async function sessions(): Promise<HTMLElement> {
  const list = await call<Listed[]>('GET', 'sessions');
  const row = (one: Listed): HTMLElement => el('tr', {},
    el('td', {}, one.device), el('td', {}, moment(one.created)), el('td', {}, moment(one.last_used)),
    el('td', {}, one.current ? 'this one' : action('End', async () => {
      await call('DELETE', 'sessions', { id: one.id });
      await show();
    }, { 'aria-label': `End the session of ${one.device}` })));
  return el('section', { 'aria-labelledby': 'sessions' },
    el('h2', { id: 'sessions' }, 'Sessions'),
    el('div', { class: 'wide' }, el('table', {},
      el('thead', {}, el('tr', {}, ...['Device', 'Since', 'Last used', ''].map((text) => el('th', {}, text)))),
      el('tbody', {}, ...list.map(row)))),
    ...(list.length > 1 ? [action('End all others', async () => {
      await call('DELETE', 'sessions');
      await show();
    })] : []));
}

/** What ended, the newest first. */
async function notices(): Promise<HTMLElement> {
  const { notices: list } = await call<{ notices: Notice[] }>('GET', 'notices');
  return el('section', { 'aria-labelledby': 'notices' },
    el('h2', { id: 'notices' }, 'What ended'),
    list.length > 0 ? el('ul', {}, ...list.map((one) => el('li', {}, `${moment(one.at)}: ${one.what}, because ${one.because}.`))) : el('p', {}, 'Nothing.'));
}

/** Shows a page to who is signed in, after the way in where it is needed. */
async function ask(about: (page: HTMLElement, session: Session) => Promise<void>): Promise<void> {
  const session = await current();
  if (session.signed_in) await about(page, session);
  else signIn(page, session, () => void guarded(() => ask(about)));
}

async function guarded(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (reason) {
    page.replaceChildren(el('p', { class: 'error', role: 'alert' }, (reason as Error).message));
  }
}

void guarded(async () => {
  const at = location.pathname;
  if (at.endsWith('/welcome')) {
    await welcome(page, () => {
      history.replaceState(null, '', 'account');
      void guarded(show);
    });
  } else if (at.endsWith('/consent')) {
    await ask(consent);
  } else if (at.endsWith('/express')) {
    takeToken();
    await ask(express);
  } else {
    await show();
  }
});
