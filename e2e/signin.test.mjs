// People in a real browser: an invitation accepted with an authenticator and with a passkey, signing in and out, sessions that end
// elsewhere, and what pages of others and stolen cookies can do, which is nothing.
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { launch, watched } from './browser.mjs';
import { demo, start, world } from './exchange.mjs';
import { device, invite, lawful, named, password, pressed, totp } from './people.mjs';

describe('signing in', () => {
  let venue;
  let local; // the same by the name that passkeys work at
  let browser;
  let secret;

  before(async () => {
    venue = await start(world(['BTC'], ['alice', 'bob']));
    local = named(venue);
    browser = await launch();
  });

  after(async () => {
    await browser?.close();
    await venue?.stop();
  });

  const signIn = async (page, login, code) => {
    await page.goto(`${venue.url}/signin`);
    await page.getByLabel('Login').fill(login);
    await page.getByLabel('Password').fill(password);
    await page.getByLabel('Code').fill(code);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };

  test('an invitation is accepted once, with a password and an authenticator', async () => {
    const { page, complaints } = await watched(browser);
    const token = await invite(venue, 'alice', 'Alice@example.com');
    await page.goto(`${venue.url}/welcome${token}`);
    await page.getByText('Account alice').waitFor();
    assert.equal(await page.locator('#login').textContent(), 'Alice@example.com');
    assert.ok(!page.url().includes('#'), `the token stays in ${page.url()}`);
    assert.ok(await page.locator('img.qr').evaluate((image) => image.naturalWidth > 0));
    secret = await page.locator('.secret').textContent();
    await page.getByLabel('Password').fill(password);
    await page.getByLabel('Code').fill(totp(secret));
    await page.getByRole('button', { name: 'Enrol' }).click();
    await page.getByText('Signed in as Alice@example.com.').waitFor();
    lawful(complaints);
    const [cookie] = (await page.context().cookies()).filter(({ name }) => name === 'bourse');
    assert.deepEqual({ httpOnly: cookie.httpOnly, sameSite: cookie.sameSite, length: cookie.value.length }, { httpOnly: true, sameSite: 'Strict', length: 43 });
    await page.goto(`${venue.url}/welcome${token}`);
    await page.getByText('This invitation was used').waitFor();
    await page.context().close();
  });

  test('a code signs in once', async () => {
    const { page, complaints } = await watched(browser);
    const code = totp(secret, 1);
    await signIn(page, 'alice@example.com', code);
    await page.getByRole('heading', { name: 'alice' }).waitFor();
    lawful(complaints);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signIn(page, 'alice@example.com', code);
    await page.getByText('The login, the password or the code is wrong.').waitFor();
    await page.context().close();
  });

  test('a passkey enrols and signs in, and a password comes beside it', async () => {
    const { page, complaints } = await watched(browser);
    await device(page);
    await page.goto(`${local}/welcome${await invite(venue, 'bob')}`);
    await page.getByRole('button', { name: 'Make a passkey' }).click();
    await page.getByText('Signed in as bob.').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('Signed in as bob.').waitFor();
    // A password beside it: the session goes on under another id.
    const before = (await page.context().cookies()).find(({ name }) => name === 'bourse').value;
    await page.getByLabel('New password').fill(password);
    await page.getByRole('button', { name: 'Set a password' }).click();
    await page.getByRole('button', { name: 'Change the password' }).waitFor();
    assert.notEqual((await page.context().cookies()).find(({ name }) => name === 'bourse').value, before);
    await page.getByText('Nothing can leave this account before').waitFor();
    lawful(complaints);
    await page.context().close();
  });
});

describe('the buttons of a demo', () => {
  let venue;
  let browser;

  before(async () => {
    venue = await demo();
    browser = await launch();
  });

  after(async () => {
    await browser?.close();
    await venue?.stop();
  });

  const enter = async () => {
    const { page, complaints } = await pressed(browser, venue, 'alice');
    lawful(complaints);
    return page;
  };

  test('sign in, and a session ends from another one', async () => {
    const [one, other] = [await enter(), await enter()];
    await one.reload();
    await one.getByRole('button', { name: 'End all others' }).click();
    await one.getByRole('button', { name: 'End all others' }).waitFor({ state: 'detached' });
    await other.reload();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await one.context().close();
    await other.context().close();
  });

  test('an order by a session is placed once', async () => {
    const page = await enter();
    const placed = await page.evaluate(async () => {
      const { csrf } = await (await fetch('web/session')).json();
      const send = () => fetch('web/v4/order/new', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Bourse-CSRF': csrf, 'Idempotency-Key': 'one' },
        body: JSON.stringify({ market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '1000' }),
      }).then((answer) => answer.json());
      return Promise.all([send(), send()]);
    });
    assert.equal(typeof placed[0].orderId, 'number', JSON.stringify(placed));
    assert.equal(placed[0].orderId, placed[1].orderId);
    await page.context().close();
  });

  test('pages of other origins do nothing, with the cookie or without', async () => {
    const page = await enter();
    const asked = [];
    const stranger = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Other</title>'));
    await new Promise((resolve) => { stranger.listen(0, '127.0.0.1', resolve); });
    await page.goto(`http://127.0.0.1:${stranger.address().port}/`);
    page.on('request', (request) => { if (request.url().startsWith(venue.url)) asked.push(request.method()); });
    page.on('response', (response) => assert.ok(!response.url().startsWith(venue.url) || response.status() >= 400, `answered ${response.status()}`));
    for (const type of ['text/plain', 'application/json']) {
      await page.evaluate(async ([url, kind]) => {
        await fetch(`${url}/web/session`, { method: 'POST', mode: 'no-cors', credentials: 'include', headers: { 'Content-Type': kind }, body: '{}' }).catch(() => {});
        await fetch(`${url}/web/session`, { method: 'DELETE', credentials: 'include' }).catch(() => {});
      }, [venue.url, type]);
    }
    stranger.closeAllConnections();
    stranger.close();
    assert.ok(asked.includes('POST'), `it sent ${asked}`);
    page.removeAllListeners('response');
    await page.goto(`${venue.url}/account`);
    await page.getByRole('heading', { name: 'alice' }).waitFor();
    await page.context().close();
  });

  test('the cookie counts at its own door only', async () => {
    const page = await enter();
    const { value } = (await page.context().cookies()).find(({ name }) => name === 'bourse');
    const publicPart = createHash('sha256').update(value).digest('hex');
    const body = JSON.stringify({ request: '/api/v4/trade-account/balance', nonce: 1 });
    const payload = Buffer.from(body).toString('base64');
    for (const headers of [
      { Cookie: `bourse=${value}` },
      { Cookie: `bourse=${value}`, 'X-TXC-APIKEY': publicPart, 'X-TXC-PAYLOAD': payload, 'X-TXC-SIGNATURE': createHmac('sha512', '').update(payload).digest('hex') },
    ]) {
      const answer = await fetch(`${venue.url}/api/v4/trade-account/balance`, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body });
      assert.equal(answer.status, 401, await answer.text());
    }
    const said = await page.evaluate((address) => new Promise((resolve) => {
      const socket = new WebSocket(address);
      socket.onopen = () => socket.send(JSON.stringify({ id: 1, method: 'balanceSpot_request', params: ['USDT'] }));
      socket.onmessage = ({ data }) => resolve(JSON.parse(data));
    }), `${venue.url.replace('http', 'ws')}/ws`);
    assert.equal(said.result, null);
    assert.ok(said.error, JSON.stringify(said));
    await page.context().close();
  });
});
