// The page on which people sign in: by password and code, by passkey, or by the buttons of a demo.
import { el } from '../docs/src/dom';
import { call, keep, type Session } from './call';
import { action, code, field, form } from './form';
import { sign } from './passkey';

export function signIn(page: HTMLElement, session: Session, done: () => void): void {
  const finish = (now: Session): void => {
    keep(now);
    done();
  };
  page.classList.add('narrow');
  page.replaceChildren(
    el('h1', {}, 'Sign in'),
    form([
      field('Login', 'login', { autocomplete: 'username', required: '', spellcheck: 'false', autocapitalize: 'off' }),
      field('Password', 'password', { type: 'password', autocomplete: 'current-password', required: '' }),
      code('Code of your authenticator', false),
    ], 'Sign in', async (values) => finish(await call('POST', 'session', values))),
  );
  if (session.passkeys) {
    page.append(el('section', {}, action('Sign in with a passkey', async () => finish(await call('POST', 'session', { passkey: await sign('sign-in') })))));
  } else if (location.hostname === '127.0.0.1') {
    const here = new URL(location.href);
    here.hostname = 'localhost';
    page.append(el('p', { class: 'note' }, 'Passkeys work at ', el('a', { href: here.href }, here.host), '.'));
  }
  if (session.demo.length > 0) {
    page.append(el('section', {}, el('h2', {}, 'Demo'), el('div', { class: 'row' }, ...session.demo.map(
      (account) => action(`Sign in as ${account}`, async () => finish(await call('POST', 'session/demo', { account }))),
    ))));
  }
}
