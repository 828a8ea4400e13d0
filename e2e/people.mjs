// People in a browser: how they become users of accounts and prove who they are.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { watched } from './browser.mjs';

export const password = 'correct horse battery';

// The code of an authenticator with a secret, for the running step or a later one.
export function totp(secret, later = 0) {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30000) + later));
  const digest = createHmac('sha1', key).update(counter).digest();
  const at = digest[19] & 15;
  return String((digest.readUInt32BE(at) & 0x7fffffff) % 1000000).padStart(6, '0');
}

// Nothing that a page does may run into the policy it is served with.
export const lawful = (complaints) => assert.deepEqual(complaints.filter((text) => /Content Security|Trusted|violat/i.test(text)), []);

// The token of an invitation to an account, with its #.
export async function invite(venue, name, login) {
  const { link } = await venue.operate('POST', `/v1/accounts/${name}/invitations`, login ? { login } : {});
  return new URL(link).hash;
}

// A passkey device of a page: it agrees to whatever it is asked.
export async function device(page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
  });
  return { devtools, authenticatorId };
}

// Somebody who became the user of an account by a passkey, and the page on which he is signed in. Passkeys work at the name of the machine.
export async function enrolled(browser, venue, name) {
  const tab = await watched(browser);
  tab.device = await device(tab.page);
  await tab.page.goto(`${named(venue)}/welcome${await invite(venue, name)}`);
  await tab.page.getByRole('button', { name: 'Make a passkey' }).click();
  await tab.page.getByText(`Signed in as ${name}.`).waitFor();
  return tab;
}

// The address of an exchange by the name that passkeys work at.
export const named = (venue) => venue.url.replace('127.0.0.1', 'localhost');

// Somebody signed in to an account of a demo by its button.
export async function pressed(browser, venue, name) {
  const tab = await watched(browser);
  await tab.page.goto(`${venue.url}/signin`);
  await tab.page.getByRole('button', { name: `Sign in as ${name}` }).click();
  await tab.page.getByRole('heading', { name }).waitFor();
  return tab;
}

// The page must be no wider than the window.
export async function fits(page) {
  const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.ok(wide <= window, `the page is ${wide} wide in ${window}`);
}
