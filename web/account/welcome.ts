// The page behind an invitation: a person chooses a password and an authenticator, or a passkey. The token leaves the address bar at once.
import { el } from '../docs/src/dom';
import { call, current, keep, type Session } from './call';
import { action, code, field, form } from './form';
import { make } from './passkey';

export interface Offer { secret: string; uri: string; qr: string; ticket: string }

interface Invitation { account: string; login: string; totp: Offer; passkeys: boolean }

/** What an authenticator takes a secret by. */
export function offered(offer: Offer): HTMLElement {
  return el('div', {},
    el('p', {}, 'Scan this with an authenticator, or type the secret in:'),
    el('img', { class: 'qr', src: offer.qr, alt: 'QR code of the secret', width: '200', height: '200' }),
    el('p', { class: 'secret' }, offer.secret),
    el('p', {}, el('a', { href: offer.uri }, 'Open an authenticator on this device')));
}

export async function welcome(page: HTMLElement, done: () => void): Promise<void> {
  const token = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
  page.classList.add('narrow');
  if (token === '') {
    page.replaceChildren(el('h1', {}, 'Welcome'), el('p', {}, 'Open the whole link of your invitation once more.'));
    return;
  }
  let invitation: Invitation;
  try {
    await current(); // somebody may be signed in here
    invitation = await call<Invitation>('POST', 'invitation', { token });
  } catch (reason) {
    page.replaceChildren(el('h1', {}, 'Welcome'), el('p', { class: 'error', role: 'alert' }, (reason as Error).message));
    return;
  }
  const finish = (session: Session): void => {
    keep(session);
    done();
  };
  page.replaceChildren(
    el('h1', {}, 'Welcome'),
    el('p', {}, 'Account ', el('b', {}, invitation.account), '. You sign in as ', el('b', { id: 'login' }, invitation.login), '.'),
    el('h2', {}, 'With a password and an authenticator'),
    form([
      field('Password (12 characters or more)', 'password', { type: 'password', autocomplete: 'new-password', minlength: '12', maxlength: '128', required: '' }),
      offered(invitation.totp),
      code('Code that it shows'),
    ], 'Enrol', async (values) => finish(await call('POST', 'enrol', { token, ticket: invitation.totp.ticket, ...values }))),
  );
  if (invitation.passkeys) {
    page.append(el('section', {}, el('h2', {}, 'Or with a passkey'), action('Make a passkey', async () => {
      finish(await call('POST', 'enrol', { token, passkey: await make('enrol', token) }));
    })));
  }
}
