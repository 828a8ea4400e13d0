// Sub-accounts: made by their master, who moves money and gives keys, with which other clients trade.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import ccxt from 'ccxt';
import { has, refused, start, world } from './exchange.mjs';

let server;
let alice;
let bob;
let desk;
let bot; // who trades for the desk
let key;

before(async () => {
  server = await start(world(['BTC'], ['alice', 'bob']));
  alice = server.connect('alice');
  bob = server.connect('bob');
});

after(() => server?.stop());

const permissions = { spotEnabled: true, collateralEnabled: false };
const enable = (...paths) => paths.map((path) => ({ url: `/api/v4/${path}`, enable: true }));
const balances = async () => (await alice.v4PrivatePostSubAccountBalances({ id: desk.id, ticker: 'USDT' })).USDT;

describe('a sub-account', () => {
  test('is made and gets money', async () => {
    desk = await alice.v4PrivatePostSubAccountCreate({ alias: 'desk', shareKyc: true, permissions });
    has(desk, { alias: 'desk', status: 'active', userId: desk.id, email: '' });
    assert.deepEqual(desk.permissions, permissions);
    const moved = await alice.v4PrivatePostSubAccountTransfer({ id: desk.id, direction: 'main_to_sub', ticker: 'USDT', amount: '5000' });
    assert.equal(moved.transactionId, moved.transaction_id);
    assert.deepEqual(await balances(), [{ main: '5000', spot: '0', collateral: '0' }]);
    const { data } = await alice.v4PrivatePostSubAccountTransferHistory({ id: desk.id });
    assert.deepEqual(data.map((t) => [t.transactionId, t.direction, t.currency, t.amount]), [[moved.transactionId, 'main_to_sub', 'USDT', '5000']]);
    const [listed, ...others] = await alice.fetchAccounts();
    assert.deepEqual(others, []);
    has(listed, { id: desk.id, type: 'subaccount' });
  });

  test('gets a key that may do nothing until it is allowed', async () => {
    key = await alice.v4PrivatePostSubAccountApiKeyCreate({ subAccountId: desk.id, type: 1, title: 'bot' });
    assert.deepEqual([key.key, key.secret], [key.apiKey, key.apiSecret]);
    bot = server.connect('', { apiKey: key.apiKey, secret: key.apiSecret });
    await refused(bot.fetchBalance(), ccxt.PermissionDenied, { code: 4 });
    await alice.v4PrivatePostSubAccountApiKeyEdit({
      apiKeyId: key.id, title: 'bot', urls: enable('trade-account/balance', 'main-account/transfer', 'order/new', 'order/cancel', 'orders', 'trade-account/executed-history'),
    });
    await bot.transfer('USDT', 5000, 'main', 'spot');
    has((await bot.fetchBalance()).USDT, { total: 5000 });
  });

  test('trades with it', async () => {
    await bob.createOrder('BTC/USDT', 'limit', 'sell', 0.1, 20000);
    const bought = await bot.createOrder('BTC/USDT', 'limit', 'buy', 0.1, 20000);
    has(bought, { status: 'closed', filled: 0.1, cost: 2000 });
    const resting = await bot.createOrder('BTC/USDT', 'limit', 'buy', 0.1, 10000);
    assert.deepEqual((await bot.fetchOpenOrders('BTC/USDT')).map((o) => o.id), [resting.id]);
    assert.deepEqual(await alice.fetchOpenOrders('BTC/USDT'), []); // they are not its master's
    assert.deepEqual(await balances(), [{ main: '0', spot: '3000', collateral: '0' }]);
  });

  test('is blocked with its orders, and let in again', async () => {
    await alice.v4PrivatePostSubAccountBlock({ id: desk.id });
    await refused(bot.fetchBalance(), ccxt.PermissionDenied, { code: 2, message: 'This action is unauthorized. The account is blocked.' });
    await alice.v4PrivatePostSubAccountUnblock({ id: desk.id });
    assert.deepEqual(await bot.fetchOpenOrders('BTC/USDT'), []);
  });

  test('loses its key', async () => {
    await alice.v4PrivatePostSubAccountApiKeyDelete({ apiKeyId: key.id });
    await refused(bot.fetchBalance(), ccxt.PermissionDenied, { code: 0, message: 'This action is unauthorized.' });
  });
});
