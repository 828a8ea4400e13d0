// The pages of an account in a real browser: API keys that sign real requests, a webhook that hears of a deposit, and a payment to a partner.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import ccxt from 'ccxt';
import { launch, watched } from './browser.mjs';
import { demo, has, refused } from './exchange.mjs';
import { device, enrolled, fits, invite, lawful, named, pressed } from './people.mjs';

const balance = '/api/v4/trade-account/balance';
const withdraw = '/api/v4/main-account/withdraw';

let venue;
let local;
let browser;

before(async () => {
  venue = await demo();
  local = named(venue);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await venue?.stop();
});

const pair = async (page) => ({ apiKey: await page.locator('#pair-key').textContent(), secret: await page.locator('#pair-secret').textContent() });
const shown = async (page) => {
  await page.locator('.once').waitFor();
  return pair(page);
};
const saved = async (page) => {
  await page.getByRole('button', { name: 'I saved it' }).click();
  await page.locator('.once').waitFor({ state: 'detached' });
};
// A person agrees, and proves who is there.
const agree = (page, name) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
const passkey = (page) => page.getByRole('dialog', { name: 'Is it you?' }).getByRole('button', { name: 'Use a passkey' }).click();
const save = async (page) => {
  await page.getByRole('button', { name: 'Save' }).click();
};

describe('API keys', () => {
  test('a key made on the page signs requests, is reset and deleted', async () => {
    const { page, complaints } = await pressed(browser, venue, 'alice');
    await page.setViewportSize({ width: 360, height: 740 });
    await fits(page);
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await page.getByLabel('Label').last().fill('robot');
    await page.getByRole('button', { name: 'Make a key' }).click();
    const first = await shown(page);
    await fits(page);
    const robot = venue.connect('alice', first);
    await refused(robot.fetchBalance(), ccxt.PermissionDenied, { code: 4 });
    await saved(page);
    assert.ok(!(await page.content()).includes(first.secret), 'the secret is still there');

    const key = page.locator('details.key', { hasText: 'robot' });
    await key.getByLabel(balance, { exact: true }).check();
    assert.equal(await key.getByLabel(withdraw, { exact: true }).count(), 0); // of type 2 only
    assert.ok(await key.getByLabel('All of Trade balance and order history').evaluate((input) => input.indeterminate));
    await save(page);
    await key.locator(`input[name="${balance}"][checked]`).waitFor();
    assert.ok((await robot.fetchBalance()).total.USDT > 0);

    await key.getByLabel('IP address').fill('192.0.2.300');
    await key.getByRole('button', { name: 'Add the address' }).click();
    await key.locator('label', { hasText: 'IP address' }).getByText('Invalid IP address.').waitFor();
    await key.getByLabel('IP address').fill('192.0.2.1');
    await key.getByRole('button', { name: 'Add the address' }).click();
    await key.getByRole('button', { name: 'Remove 192.0.2.1' }).waitFor();
    await refused(robot.fetchBalance(), ccxt.PermissionDenied, { code: 2 });
    await key.getByRole('button', { name: 'Remove 192.0.2.1' }).click();
    await key.getByText('From everywhere.').waitFor();

    await key.getByRole('button', { name: 'Reset robot' }).click();
    await agree(page, 'Cancel');
    assert.ok((await robot.fetchBalance()).total.USDT > 0);
    await key.getByRole('button', { name: 'Reset robot' }).click();
    await agree(page, 'Reset');
    const second = await shown(page);
    assert.notEqual(second.apiKey, first.apiKey);
    await refused(robot.fetchBalance(), ccxt.PermissionDenied, { code: 0 });
    const again = venue.connect('alice', second);
    assert.ok((await again.fetchBalance()).total.USDT > 0);
    await saved(page);
    await fits(page);

    await key.getByRole('button', { name: 'Delete robot' }).click();
    await agree(page, 'Delete');
    await key.waitFor({ state: 'detached' });
    await refused(again.fetchBalance(), ccxt.PermissionDenied, { code: 0 });
    lawful(complaints);
    await page.context().close();
  });

  test('what moves money out takes a factor with the very request', async () => {
    const { page, complaints } = await enrolled(browser, venue, 'bob');
    await page.goto(`${local}/account?page=keys`);
    await page.getByLabel('Label').last().fill('payer');
    await page.getByLabel('Type').selectOption('Info + Trading + Deposit + Withdraw');
    await page.getByRole('button', { name: 'Make a key' }).click();
    await shown(page);
    await saved(page);
    const key = page.locator('details.key', { hasText: 'payer' });
    await key.getByLabel(withdraw, { exact: true }).check();
    await save(page);
    await page.getByRole('dialog', { name: 'Is it you?' }).getByRole('button', { name: 'Cancel' }).click();
    await key.getByText('It was not done: a factor is needed.').waitFor();
    await save(page);
    await passkey(page);
    await key.locator(`input[name="${withdraw}"][checked]`).waitFor();
    lawful(complaints);
    await page.context().close();
  });

  test('the pair of a key that a program reset is shown to the master, once', async () => {
    const carol = venue.connect('carol');
    const desk = await carol.v4PrivatePostSubAccountCreate({ alias: 'desk', shareKyc: true, permissions: { spotEnabled: true, collateralEnabled: false } });
    const made = await carol.v4PrivatePostSubAccountApiKeyCreate({ subAccountId: desk.id, type: 1, title: 'desk bot' });
    await carol.v4PrivatePostSubAccountApiKeyEdit({ apiKeyId: made.id, title: 'desk bot', urls: [{ url: balance, enable: true }] });
    await carol.v4PrivatePostSubAccountApiKeyReset({ apiKeyId: made.id });
    const { page, complaints } = await pressed(browser, venue, 'carol');
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('combobox', { name: 'Account' }).selectOption('desk');
    await page.getByText('This key was reset by a program.').waitFor();
    await page.getByRole('button', { name: 'Show the new secret' }).click();
    const bot = venue.connect('carol', await shown(page));
    assert.equal((await bot.fetchBalance()).total.USDT ?? 0, 0); // the desk has nothing, and the key says so
    await saved(page);
    await page.reload();
    await page.getByText('desk bot').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Show the new secret' }).count(), 0);

    // The user of the desk makes keys for trading only.
    const token = await invite(venue, desk.id);
    const { page: other } = await watched(browser);
    await device(other);
    await other.goto(`${local}/welcome${token}`);
    await other.getByRole('button', { name: 'Make a passkey' }).click();
    await other.getByText('Signed in as').waitFor();
    await other.goto(`${local}/account?page=keys`);
    await other.getByRole('button', { name: 'Make a key' }).waitFor();
    assert.equal(await other.getByLabel('Type').count(), 0);
    assert.equal(await other.getByRole('combobox').count(), 0);
    lawful(complaints);
    await other.context().close();
    await page.context().close();
  });
});

describe('sub-accounts', () => {
  test('a master invites a user, by a link that is shown once', async () => {
    const bob = venue.connect('bob');
    const permissions = { spotEnabled: true, collateralEnabled: false };
    const fund = await bob.v4PrivatePostSubAccountCreate({ alias: 'fund', email: 'dora@example.com', permissions });
    await bob.v4PrivatePostSubAccountCreate({ alias: 'desk', shareKyc: true, permissions });
    const { page, complaints } = await enrolled(browser, venue, 'bob');
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole('link', { name: 'Sub-accounts' }).click();
    await page.getByRole('heading', { name: 'Sub-accounts' }).waitFor();
    const of = (name) => page.getByRole('article').filter({ has: page.getByRole('heading', { name }) });
    await of('fund').getByText('d***@e***m').waitFor();
    await of('fund').getByText('nobody yet').waitFor();
    await page.getByRole('button', { name: 'Invite: fund' }).click();
    await page.locator('.once').waitFor();
    const first = await page.locator('#link').textContent();
    await page.locator('.once').getByText('It is for dora@example.com to use fund. It is good once, until').waitFor();
    await fits(page);
    await saved(page);
    assert.ok(!(await page.content()).includes(first), 'the link is still there');
    await of('fund').getByText('Another link ends the present one.').waitFor();
    await page.getByRole('button', { name: 'Make another link: fund' }).click();
    await page.locator('.once').waitFor();
    const link = new URL(await page.locator('#link').textContent());
    assert.equal(link.pathname, '/welcome');

    const { page: other } = await watched(browser);
    await device(other);
    await other.goto(`${local}/welcome${new URL(first).hash}`);
    await other.getByText('This invitation was used, replaced by a newer one, or is over.').waitFor();
    await other.goto('about:blank'); // nothing but what is behind the # differs
    await other.goto(`${local}/welcome${link.hash}`);
    await other.getByRole('button', { name: 'Make a passkey' }).click();
    await other.getByText('Signed in as dora@example.com.').waitFor();
    await other.getByRole('heading', { name: 'fund' }).waitFor();
    await other.context().close();
    await page.reload();
    await of('fund').getByText('signs in').waitFor();
    assert.equal(await of('fund').getByRole('button').count(), 0);
    const { data } = await bob.v4PrivatePostSubAccountList();
    has(data.find(({ id }) => id === fund.id), { status: 'active', userId: fund.id });

    // Without an e-mail the master says by what the person signs in.
    await of('desk').getByLabel('Login of the person').fill('bob');
    await of('desk').getByRole('button', { name: 'Invite' }).click();
    await of('desk').getByText('Somebody else has this login.').waitFor();
    await of('desk').getByLabel('Login of the person').fill('trader');
    await of('desk').getByRole('button', { name: 'Invite' }).click();
    await page.locator('.once').getByText('It is for trader to use desk.').waitFor();
    await fits(page);
    lawful(complaints);
    await page.context().close();
  });
});

describe('webhooks', () => {
  test('one is made, verified by its endpoint, and hears of a deposit', async () => {
    const heard = [];
    let key = '';
    let ring;
    const rung = new Promise((resolve) => { ring = resolve; });
    const server = createServer((request, response) => {
      if (request.url === '/service-verification' && key !== '') {
        response.setHeader('Content-Type', 'application/json').end(JSON.stringify([key]));
        return;
      }
      if (request.url !== '/hook') {
        response.writeHead(404).end();
        return;
      }
      let body = '';
      request.on('data', (part) => { body += part; }).on('end', () => {
        heard.push({ headers: request.headers, body });
        response.end();
        if (JSON.parse(body).method === 'deposit.processed') ring();
      });
    });
    await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
    const { page, complaints } = await pressed(browser, venue, 'alice');
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole('link', { name: 'Webhook' }).click();
    await page.getByLabel('URL').fill('http://example.com/');
    await page.getByRole('button', { name: 'Make the webhook' }).click();
    await page.locator('label', { hasText: 'URL' }).getByText('The URL of a webhook begins with https://').waitFor();
    await page.getByLabel('URL').fill(`http://127.0.0.1:${server.address().port}/hook`);
    await page.getByLabel('deposit.updated').uncheck();
    await page.getByRole('button', { name: 'Make the webhook' }).click();
    const { apiKey, secret } = await shown(page);
    await fits(page);
    await saved(page);
    await page.getByText('Waits until the host is verified.').waitFor();
    await page.getByRole('button', { name: 'Verify the host' }).click();
    await page.getByText('The key was not found').waitFor();
    key = apiKey;
    await page.getByRole('button', { name: 'Verify the host' }).click();
    await page.getByText('Active: events are sent.').waitFor();
    assert.equal(await page.locator('#verification').count(), 0);

    await venue.operate('POST', '/v1/accounts/alice/faucet', { asset: 'USDT', amount: '100' });
    await rung;
    const methods = heard.map(({ body }) => JSON.parse(body).method);
    assert.ok(methods.includes('deposit.accepted') && !methods.includes('deposit.updated'), `${methods}`);
    for (const { headers, body } of heard) {
      const payload = Buffer.from(body).toString('base64');
      assert.deepEqual([headers['x-txc-apikey'], headers['x-txc-payload'], headers['x-txc-signature']], [apiKey, payload, createHmac('sha512', secret).update(payload).digest('hex')]);
    }
    const line = page.getByRole('row', { name: /deposit\.accepted .* delivered 200 \d+ ms/ }).first();
    do await page.getByRole('button', { name: 'Refresh' }).click();
    while (!await line.isVisible());
    await fits(page);

    await venue.operate('POST', '/v1/accounts/alice/webhook/pause', { paused: true });
    await page.reload();
    await page.getByText('The operators hold deliveries back at the moment.').waitFor();
    await page.getByRole('button', { name: 'New key and secret' }).click();
    await agree(page, 'New key and secret');
    assert.notEqual((await shown(page)).apiKey, apiKey);
    await page.getByText('Waits until the host is verified.').waitFor();
    await page.getByRole('button', { name: 'Delete the webhook' }).click();
    await agree(page, 'Delete the webhook');
    await page.getByText('There is none.').waitFor();
    lawful(complaints);
    await page.context().close();
    server.closeAllConnections();
    server.close();
  });
});

describe('a payment to a partner', () => {
  const main = async (who) => Number((await who.v4PrivatePostMainAccountBalance({ ticker: 'USDT' })).USDT.main_balance);

  test('is shown, proven and made once; or not made', async () => {
    await venue.operate('PATCH', '/v1/accounts/alice', { partner: true });
    const [shop, payer] = [venue.connect('alice'), venue.connect('bob')];
    await venue.operate('PATCH', '/v1/accounts/bob', { restricted_until: null });
    const asks = async (externalId) => new URL((await shop.v4PrivatePostMainAccountExpressWithdrawToken({ ticker: 'USDT', amount: '12.5', externalId })).url, local).search;
    const { page, complaints } = await enrolled(browser, venue, 'bob');
    const { page: alices } = await pressed(browser, venue, 'alice');
    await venue.operate('PATCH', '/v1/accounts/bob', { restricted_until: null });
    const before = [await main(shop), await main(payer)];

    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(`${local}/express${await asks('one')}`);
    await page.getByRole('heading', { name: 'Pay alice?' }).waitFor();
    assert.equal(page.url(), `${local}/express`);
    assert.equal(await page.locator('#amount').textContent(), '12.5 USDT');
    await fits(page);
    await page.getByRole('button', { name: 'Do not pay' }).click();
    await page.getByText('Nothing was paid.').waitFor();

    const token = await asks('two');
    await page.goto(`${local}/express${token}`);
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await passkey(page);
    await page.getByText('You paid 12.5 USDT to alice.').waitFor();
    const now = [await main(shop), await main(payer)];
    assert.deepEqual([now[0] - before[0], now[1] - before[1]], [12.5, -12.5]);
    await page.goto(`${local}/express${token}`);
    await page.getByText('The token is unknown, was used, has expired, or asks for something else.').waitFor();
    lawful(complaints);

    // The partner cannot pay herself.
    await alices.goto(`${venue.url}/express${await asks('three')}`);
    await alices.getByRole('button', { name: 'Pay', exact: true }).click();
    await alices.getByText('Who asks for a payment cannot make it.').waitFor();
    await alices.context().close();
    await page.context().close();
  });
});
