// The demo, as bots meet it that were written for a real venue: they round to the precisions that the
// exchange tells, and know nothing of its steps.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import ccxt from 'ccxt';
import { demo, refused } from './exchange.mjs';

let venue, alice;
const symbols = ['BTC/USDT', 'ETH/USDT', 'ETH/BTC', 'PEPE/USDT'];
const coarse = 'XRP/USDT';
const futures = ['BTC/USDT:USDT', 'ETH/USDT:USDT'];

before(async () => {
  venue = await demo();
  alice = venue.connect('alice');
  await alice.loadMarkets();
});

after(() => venue.stop());

// The best prices, once the makers quote.
async function best(symbol) {
  for (;;) {
    const { bids, asks } = await alice.fetchOrderBook(symbol);
    if (bids.length > 0 && asks.length > 0) return { bid: bids[0][0], ask: asks[0][0] };
  }
}

// What a dollar is in the currency that a market is paid with.
async function dollar(symbol) {
  if (alice.market(symbol).quote === 'USDT') return 1;
  const { bid } = await best(`${alice.market(symbol).quote}/USDT`);
  return 1 / bid;
}

test('the markets are those that are told', () => {
  assert.deepEqual([...alice.symbols].sort(), [...symbols, coarse, ...futures].sort());
});

for (const symbol of symbols) {
  test(`orders of 5 to 20 dollars on ${symbol}, rounded as ccxt rounds, are taken`, async () => {
    const { bid, ask } = await best(symbol);
    const unit = await dollar(symbol);
    for (const dollars of [5, 7.77, 13.37, 20]) {
      for (const [side, price] of [['buy', bid * 0.97123456789], ['sell', ask * 1.03123456789]]) {
        const at = alice.priceToPrecision(symbol, price);
        const amount = alice.amountToPrecision(symbol, (dollars * unit) / price);
        const order = await alice.createOrder(symbol, 'limit', side, Number(amount), Number(at));
        assert.equal(order.status, 'open', `${side} ${amount} at ${at}`);
        assert.equal(order.amount, Number(amount));
        assert.equal(order.price, Number(at));
        await alice.cancelOrder(order.id, symbol);
      }
      const amount = alice.amountToPrecision(symbol, (dollars * unit) / bid);
      const sold = await alice.createOrder(symbol, 'market', 'sell', Number(amount));
      assert.equal(sold.status, 'closed', `sell ${amount} at the market`);
      assert.equal(sold.filled, Number(amount));
    }
  });

  test(`${symbol} has room between the sides`, async () => {
    const { bid, ask } = await best(symbol);
    const tick = alice.market(symbol).precision.price;
    assert.ok((ask - bid) / tick > 7.5, `${bid} and ${ask} with ticks of ${tick}`);
    assert.ok((ask - bid) / bid < 0.002, `${bid} and ${ask} are far apart`);
  });
}

for (const symbol of futures) {
  test(`a bot opens and closes a position on ${symbol}`, async () => {
    const { ask } = await best(symbol);
    const amount = Number(alice.amountToPrecision(symbol, 100 / ask));
    const bought = await alice.createOrder(symbol, 'market', 'buy', amount);
    assert.equal(bought.status, 'closed');
    assert.equal(bought.filled, amount);
    const [position] = await alice.fetchPositions([symbol]);
    assert.equal(Number(position.info.amount), amount);
    const sold = await alice.createOrder(symbol, 'market', 'sell', amount, undefined, { reduceOnly: true });
    assert.equal(sold.filled, amount);
    assert.deepEqual(await alice.fetchPositions([symbol]), []);
  });
}

test('on the coarse market what is rounded to the precisions is refused, and whole steps are taken', async () => {
  const { bid } = await best(coarse);
  const price = Number(alice.priceToPrecision(coarse, Math.floor(bid * 0.97 * 200) / 200));
  const rounded = Number(alice.amountToPrecision(coarse, 13.37));
  const errors = { amount: ['Amount must be a multiple of 5.'] };
  await refused(alice.createOrder(coarse, 'limit', 'buy', rounded, price), ccxt.ExchangeError, { errors });
  const order = await alice.createOrder(coarse, 'limit', 'buy', 15, price);
  assert.equal(order.status, 'open');
  await alice.cancelOrder(order.id, coarse);
});

const faucet = (account, ticker, amount) => account.request('sandbox/faucet', ['v4', 'private'], 'POST', { ticker, amount });

test('money from the faucet confirms while one watches, and is traded with after a transfer', async () => {
  const bob = venue.connect('bob', { rateLimit: 200 }); // the history is asked no more often than it allows
  const spot = async () => String((await bob.fetchBalance()).USDT.total);
  const main = async () => (await bob.v4PrivatePostMainAccountBalance({ ticker: 'USDT' })).USDT;
  const [traded, owned] = [await spot(), (await main()).main_balance];
  const receipt = await faucet(bob, 'USDT', '12.34');
  const { address } = await bob.fetchDepositAddress('USDT');
  assert.match(receipt.transactionHash, /^[0-9a-f]{64}$/);
  assert.deepEqual(receipt, {
    ticker: 'USDT', amount: '12.34', left: '9987.66', network: 'ERC20', address, transactionHash: receipt.transactionHash,
    confirmationsForTrading: 6, confirmations: 12,
  });

  // Every look at the history until the deposit is as it should be; the looks are of ever more confirmations.
  const seen = new Set();
  const until = async (ready) => {
    for (;;) {
      const deposit = (await bob.fetchDeposits('USDT')).find(({ info }) => info.transactionHash === receipt.transactionHash);
      if (deposit === undefined) continue; // it waits for its block
      const { actual, required } = deposit.info.confirmations;
      assert.ok(actual >= Math.max(0, ...seen) && required === 12, `${actual} of ${required} after ${[...seen]}`);
      seen.add(actual);
      if (ready(deposit, actual)) return deposit;
    }
  };
  const pending = await until((_, actual) => actual >= 6);
  assert.deepEqual([pending.status, pending.amount, pending.address], ['pending', 12.34, address]);
  assert.ok(seen.size > 2, `seen with ${[...seen]} confirmations`);
  const { main_balance: held } = await main();
  assert.equal(ccxt.Precise.stringSub(held, owned), '12.34');
  await bob.transfer('USDT', 12.34, 'main', 'spot');
  assert.equal(ccxt.Precise.stringSub(await spot(), traded), '12.34');
  await until((deposit) => deposit.status === 'ok');
  assert.equal((await main()).main_balance, owned);
});

test('the faucet gives no more than its limit, and nothing that no network brings', async () => {
  const { errors } = await refused(faucet(alice, 'USDT', '10000.01'), ccxt.ExchangeError);
  assert.match(errors.amount[0], /^The faucet has [0-9.]+ left for you today.$/);
  await refused(faucet(alice, 'USDT', '9.99'), ccxt.ExchangeError, { errors: { amount: ['The amount is too small: at least 10 can be deposited.'] } });
  await refused(faucet(alice, 'EUR', '20'), ccxt.ExchangeError, { errors: { ticker: ['The faucet does not have this ticker.'] } });
});

test('the demo has a month behind it', async () => {
  const month = 30 * 24 * 3600 * 1000;
  for (const symbol of [...symbols, coarse, ...futures]) {
    const days = await alice.fetchOHLCV(symbol, '1d', Date.now() - month);
    assert.ok(days.length >= 30, `${symbol} has ${days.length} days`);
    const span = Math.max(...days.map((k) => k[2])) / Math.min(...days.map((k) => k[3]));
    assert.ok(span > 1.05, `${symbol} moved by a factor of ${span} in a month`);
    const hours = await alice.fetchOHLCV(symbol, '1h', Date.now() - month);
    assert.ok(hours.length >= 700, `${symbol} has ${hours.length} hours`);
    const { last, percentage } = await alice.fetchTicker(symbol);
    const [, , , , close] = hours.at(-1);
    assert.ok(Math.abs(close / last - 1) < 0.05, `${symbol}: the last hour ends at ${close}, the price is ${last}`);
    assert.ok(Number.isFinite(percentage));
    assert.equal((await alice.fetchTrades(symbol)).length, 100);
  }
});
