// What asks for the second factor once more, when something needs a fresh one.
import { el } from '../docs/src/dom';
import { call, keep, Refusal, type Session } from './call';
import { action, code, field, form } from './form';
import { sign } from './passkey';

/** What a person proves once more by who is there. */
export interface Factor { code?: string; password?: string; passkey?: unknown }

/** Does something, and if a fresh factor is needed, asks for it and does it then. */
export async function withFactor<T>(session: Session, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (reason) {
    if (!(reason instanceof Refusal && reason.again)) throw reason;
  }
  await ask(session, async (factor) => { keep(await call<Session>('POST', 'session/factor', factor)); });
  return act();
}

/** The same for what takes the factor along: it needs one in the very request. */
export async function byFactor<T>(session: Session, act: (factor?: Factor) => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (reason) {
    if (!(reason instanceof Refusal && reason.again)) throw reason;
  }
  let result: { value: T } | undefined;
  let other: unknown;
  await ask(session, async (factor) => {
    try {
      result = { value: await act(factor) };
    } catch (reason) {
      if (reason instanceof Refusal && reason.ofFactor) throw reason; // it can be given again
      other = reason;
    }
  });
  if (result === undefined) throw other;
  return result.value;
}

/** Asks for a factor until one does. */
function ask(session: Session, send: (factor: Factor) => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const dialog = el('dialog', { 'aria-labelledby': 'again' });
    let given = false;
    const give = async (factor: Factor): Promise<void> => {
      await send(factor);
      given = true;
      dialog.close();
    };
    dialog.append(el('h2', { id: 'again' }, 'Is it you?'));
    if (session.factors?.totp) dialog.append(form([code('Code of your authenticator')], 'Confirm', give));
    if ((session.factors?.passkeys.length ?? 0) > 0) dialog.append(action('Use a passkey', async () => give({ passkey: await sign('again') })));
    if (!session.factors?.totp && session.factors?.passkeys.length === 0) {
      dialog.append(form([field('Password', 'password', { type: 'password', autocomplete: 'current-password', required: '' })], 'Confirm', give));
    }
    dialog.append(action('Cancel', async () => dialog.close()));
    dialog.addEventListener('close', () => {
      dialog.remove();
      if (given) resolve();
      else reject(new Error('It was not done: a factor is needed.'));
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
