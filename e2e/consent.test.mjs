// Programs of others in a real browser: a person is sent to /consent, sees who asks for what, and allows or denies it.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import ccxt from 'ccxt';
import { launch, watched } from './browser.mjs';
import { demo, refused } from './exchange.mjs';
import { enrolled, fits, invite, lawful, named, password, totp } from './people.mjs';

const balance = '/api/v4/trade-account/balance';
const withdraw = '/api/v4/main-account/withdraw';

describe('consent', () => {
  let venue;
  let local;
  let browser;
  let callback; // the server to which people are sent back
  let back;
  let heard = []; // what it was asked for
  const clients = {};
  let carol; // her browser
  let carolsTab;

  before(async () => {
    callback = createServer((request, response) => {
      heard.push(new URL(request.url, back));
      response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Back</title><h1>Back at the program</h1>');
    });
    await new Promise((resolve) => { callback.listen(0, '127.0.0.1', resolve); });
    back = `http://127.0.0.1:${callback.address().port}/back`;
    venue = await demo();
    local = named(venue);
    for (const name of ['alice', 'bob', 'carol']) await venue.operate('PATCH', `/v1/accounts/${name}`, { verified: true });
    for (const [client, title] of [['tax', 'Tax reports'], ['bots', 'Bots & co']]) {
      clients[client] = await venue.operate('POST', '/v1/partners', {
        client, title, uris: [back], scopes: ['apikeys.create', 'apikeys.read', 'apikeys.delete'], addresses: ['127.0.0.1'],
      });
    }
    browser = await launch();
  });

  after(async () => {
    await browser?.close();
    callback?.closeAllConnections();
    callback?.close();
    await venue?.stop();
  });

  // A link of a client that sends people here, and the verifier for the code that it gets.
  const link = (client, state) => {
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      clientId: client, redirect_uri: back, state, code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256', response_type: 'code',
    });
    return { verifier, url: `${local}/auth/login?${query}` };
  };

  const redeem = async (client, code, verifier) => {
    const answer = await fetch(`${venue.url}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: client, client_secret: clients[client].secret, code, redirect_uri: back, code_verifier: verifier, grant_type: 'authorization_code' }),
    });
    assert.equal(answer.status, 200, await answer.clone().text());
    return (await answer.json()).access_token;
  };

  // What the program hears when a person comes back.
  const sentBack = async (page) => {
    await page.getByRole('heading', { name: 'Back at the program' }).waitFor();
    return heard.splice(0).filter(({ pathname }) => pathname === '/back').map(({ searchParams }) => searchParams);
  };

  const allow = (page) => page.getByRole('button', { name: 'Allow' });
  const grants = (page) => page.evaluate(() => fetch('web/oauth/grants').then((answer) => answer.json()));

  test('what was ticked is allowed, with a factor given after it was shown, and the key works', async () => {
    const { page, complaints } = await enrolled(browser, venue, 'alice');
    const { url, verifier } = link('tax', 'one');
    await page.goto(url);
    await page.getByRole('heading', { name: 'Tax reports asks for access' }).waitFor();
    assert.ok(page.url().startsWith(`${local}/consent?`), page.url());
    assert.equal(await page.locator('#host').textContent(), new URL(back).host);
    await page.getByText('To account alice.').waitFor();
    assert.equal(await page.getByRole('checkbox', { checked: true }).count(), 0);
    await page.setViewportSize({ width: 360, height: 740 });
    await fits(page);

    // The endpoints by which money leaves take one more tick, which is asked for when one of them is ticked.
    const sure = page.getByLabel('I know that Tax reports can then move money out of my account.');
    assert.ok(await sure.isHidden());
    await page.getByLabel(balance, { exact: true }).check();
    assert.ok(await sure.isHidden());
    await page.getByLabel(withdraw, { exact: true }).check();
    await allow(page).click();
    await page.getByText('Say that this program may move money out of your account.').waitFor();
    await sure.check();

    // The factor of the enrolment came before the request was shown.
    await allow(page).click();
    const dialog = page.getByRole('dialog', { name: 'Is it you?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('It was not done: a factor is needed.').waitFor();
    assert.deepEqual(heard, []);
    assert.deepEqual(await grants(page), []);
    await allow(page).click();
    await dialog.getByRole('button', { name: 'Use a passkey' }).click();
    const [answer, ...others] = await sentBack(page);
    lawful(complaints);
    assert.deepEqual(others, []);
    assert.deepEqual([...answer.keys()].sort(), ['code', 'iss', 'state']);
    assert.deepEqual([answer.get('state'), answer.get('iss')], ['one', local]);
    const token = await redeem('tax', answer.get('code'), verifier);
    const bearer = { headers: { Authorization: `Bearer ${token}` } };
    const { data: key } = await (await fetch(`${venue.url}/oauth2/api-key/info`, bearer)).json();
    assert.deepEqual(key.permissions.flatMap(({ urls }) => urls).filter(({ enable }) => enable).map(({ url: path }) => path).sort(), [withdraw, balance].sort());
    const { data } = await (await fetch(`${venue.url}/oauth2/api-key/${key.externalId}/secret`, bearer)).json();
    const program = venue.connect('alice', { apiKey: key.externalId, secret: data.apiSecret });
    assert.ok((await program.fetchBalance()).total.USDT > 0);

    // Now there is a key: the same program cannot have another one.
    await page.goto(link('tax', 'again').url);
    await page.getByRole('alert').filter({ hasText: /key/ }).waitFor();
    assert.equal(await allow(page).count(), 0);

    // Its owner sees the key with its program, and can delete it and nothing else.
    await page.goto(`${local}/account?page=keys`);
    const issued = page.locator('details.key', { hasText: 'issued for Tax reports' });
    await issued.locator('summary').click();
    await issued.getByText("What it may call is fixed, and the addresses are the program's.").waitFor();
    assert.deepEqual((await issued.locator('.urls li').allTextContents()).sort(), [withdraw, balance].sort());
    assert.deepEqual(await issued.getByRole('button').allTextContents(), ['Delete']);
    await issued.getByRole('button', { name: 'Delete Tax reports' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await issued.waitFor({ state: 'detached' });
    await refused(program.fetchBalance(), ccxt.PermissionDenied, { code: 0 });
    await page.context().close();
  });

  test('a code of an authenticator allows, once', async () => {
    const { page, complaints } = await watched(browser);
    await page.goto(`${venue.url}/welcome${await invite(venue, 'bob')}`);
    const secret = await page.locator('.secret').textContent();
    const used = totp(secret);
    await page.getByLabel('Password').fill(password);
    await page.getByLabel('Code').fill(used);
    await page.getByRole('button', { name: 'Enrol' }).click();
    await page.getByText('Signed in as bob.').waitFor();
    await page.goto(link('bots', 'two').url.replace(local, venue.url));
    await page.getByLabel(balance, { exact: true }).check();
    await allow(page).click();
    const dialog = page.getByRole('dialog', { name: 'Is it you?' });
    await dialog.getByLabel('Code').fill(used);
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.getByText('The code is wrong, or was used already.').waitFor();
    await dialog.getByLabel('Code').fill(totp(secret, 1));
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    assert.deepEqual((await sentBack(page)).map((answer) => [answer.get('state'), answer.has('code')]), [['two', true]]);
    lawful(complaints);
    await page.context().close();
  });

  test('a person signs in first, and denies', async () => {
    carol = await browser.newContext();
    const { page, complaints } = await enrolled(carol, venue, 'carol');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto(link('bots', 'three').url);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('heading', { name: 'Bots & co asks for access' }).waitFor();
    await page.getByRole('button', { name: 'Deny' }).click();
    assert.deepEqual((await sentBack(page)).map((answer) => Object.fromEntries(answer)), [{ error: 'access_denied', iss: local, state: 'three' }]);
    lawful(complaints);
    carolsTab = page;
  });

  test('two tabs do not mix', async () => {
    const one = carolsTab;
    const [first, second] = [link('tax', 'first'), link('bots', 'second')];
    await one.goto(first.url);
    const { page: other } = await watched(carol);
    await other.goto(second.url);
    await other.getByRole('heading', { name: 'Bots & co asks for access' }).waitFor();
    await one.getByLabel(balance, { exact: true }).check();
    await allow(one).click();
    await one.getByRole('button', { name: 'Use a passkey' }).click();
    const allowed = await sentBack(one);
    // The factor was for the first: the second is asked for another one.
    await allow(other).click();
    await other.getByRole('dialog', { name: 'Is it you?' }).getByRole('button', { name: 'Cancel' }).click();
    await other.getByText('It was not done: a factor is needed.').waitFor();
    await other.getByRole('button', { name: 'Deny' }).click();
    const answers = [...allowed, ...await sentBack(other)];
    assert.deepEqual(answers.map((answer) => [answer.get('state'), answer.get('error'), answer.has('code')]), [['first', null, true], ['second', 'access_denied', false]]);
    await redeem('tax', answers[0].get('code'), first.verifier);
    await one.goto(`${local}/account`);
    await one.getByText('Tax reports, with an API key for 1 endpoint ').waitFor();
    assert.deepEqual((await grants(one)).map(({ client }) => client), ['tax']);
    await other.close();
  });

  test('buttons wake when the page was in view for a second', async () => {
    const { page } = await watched(carol);
    await page.addInitScript(() => {
      window.seen = 'hidden';
      Object.defineProperty(document, 'visibilityState', { get: () => window.seen });
    });
    await page.clock.install();
    await page.goto(link('bots', 'four').url);
    await page.getByRole('heading', { name: 'Bots & co asks for access' }).waitFor();
    await page.clock.pauseAt(Date.now() + 3600_000);
    const awake = async () => Promise.all(['Allow', 'Deny'].map((name) => page.getByRole('button', { name }).isEnabled()));
    const look = (seen) => page.evaluate((state) => {
      window.seen = state;
      document.dispatchEvent(new Event('visibilitychange'));
    }, seen);
    assert.deepEqual(await awake(), [false, false]);
    await look('visible');
    await page.clock.runFor(900);
    await look('hidden'); // it was away for a moment: the second begins again
    await page.clock.runFor(5000);
    await look('visible');
    await page.clock.runFor(999);
    assert.deepEqual(await awake(), [false, false]);
    await page.clock.runFor(1);
    assert.deepEqual(await awake(), [true, true]);
    await page.close();
  });

  test('a page of somebody else neither frames it nor answers for anybody', async () => {
    const { page, complaints } = await watched(browser);
    await page.goto(back);
    await page.evaluate((url) => {
      const frame = document.createElement('iframe');
      frame.src = url;
      document.body.append(frame);
      return new Promise((resolve) => { frame.onload = resolve; });
    }, link('tax', 'framed').url);
    assert.ok(page.frames().slice(1).every((frame) => !frame.url().startsWith(local)), 'it is framed');
    assert.ok(complaints.some((text) => /frame-ancestors 'none'/.test(text)), complaints.join('\n'));

    // Carol's browser sends her cookie along, at most; what a stranger's page asks for is not done.
    const { page: stranger } = await watched(carol);
    await stranger.goto(back);
    const asked = [];
    const answered = [];
    stranger.on('request', (request) => { if (request.url().startsWith(local)) asked.push(request.method()); });
    stranger.on('response', (response) => { if (response.url().startsWith(local)) answered.push([response.request().method(), response.status()]); });
    await stranger.evaluate(async (url) => {
      for (const path of ['request', 'approve', 'deny']) {
        for (const type of ['text/plain', 'application/json']) {
          await fetch(`${url}/web/oauth/${path}`, { method: 'POST', mode: 'no-cors', credentials: 'include', headers: { 'Content-Type': type }, body: '{}' }).catch(() => {});
        }
      }
    }, local);
    await stranger.evaluate((url) => {
      const form = document.createElement('form');
      Object.assign(form, { method: 'post', action: `${url}/web/oauth/approve`, enctype: 'text/plain' });
      document.body.append(form);
      form.submit();
    }, local);
    await stranger.waitForURL(`${local}/**`);
    assert.ok(asked.filter((method) => method === 'POST').length >= 4, `it sent ${asked}`);
    assert.deepEqual(answered, [['POST', 403]]); // browsers keep the others even from the page that asked
    await stranger.goto(`${local}/account`);
    assert.deepEqual((await grants(stranger)).map(({ client }) => client), ['tax']);

    // She ends the access, and the page says so from then on.
    await stranger.getByRole('button', { name: 'End the access of Tax reports' }).click();
    await stranger.getByRole('region', { name: 'Programs with access' }).getByText('None.').waitFor();
    const ended = stranger.getByRole('region', { name: 'What ended' });
    await ended.getByText('the access of Tax reports ended, because somebody who is signed in ended it.').waitFor();
    assert.deepEqual(await grants(stranger), []);
    await carol.close();
    await page.context().close();
  });
});
