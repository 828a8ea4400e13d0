// Passkeys: the browser does all of it.
import { call } from './call';

interface Ask { publicKey: unknown }

export async function sign(purpose: 'sign-in' | 'again'): Promise<unknown> {
  const asked = await call<Ask>('POST', 'passkey', { purpose });
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(asked.publicKey as PublicKeyCredentialRequestOptionsJSON);
  return answer(await navigator.credentials.get({ publicKey }));
}

export async function make(purpose: 'enrol' | 'add', token?: string): Promise<unknown> {
  const asked = await call<Ask>('POST', 'passkey', { purpose, token });
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(asked.publicKey as PublicKeyCredentialCreationOptionsJSON);
  return answer(await navigator.credentials.create({ publicKey }));
}

function answer(credential: Credential | null): unknown {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser gave no passkey.');
  return credential.toJSON();
}
