// Public data as ccxt reads it. The trades are made once, before the tests, and each resource is
// read once after them, so a server that keeps its answers for a second passes too.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { account, crypto, deal, has, market, minus, recent, start } from './exchange.mjs';

const bases = ['BTC', 'ETH', 'NEW'];
const setup = {
  assets: [
    crypto('USDT', {
      name: 'Tether',
      precision: 6,
      networks: [
        { name: 'ERC20', default: true, can_deposit: true, can_withdraw: true, confirmations: 12, confirmations_for_trading: 6 },
        { name: 'TRC20', can_deposit: true, can_withdraw: false, confirmations: 20, confirmations_for_trading: 20 },
      ],
    }),
    crypto('BTC', {
      name: 'Bitcoin',
      min_deposit: '0.0001',
      min_withdraw: '0.0003',
      max_withdraw: '10',
      networks: [
        {
          name: 'BTC',
          default: true,
          can_deposit: true,
          can_withdraw: true,
          min_deposit: '0.0001',
          min_withdraw: '0.0003',
          max_withdraw: '10',
          confirmations: 2,
          confirmations_for_trading: 1,
        },
      ],
    }),
    crypto('ETH', { name: 'Ether', can_withdraw: false }),
    crypto('NEW'),
    {
      ticker: 'EUR',
      name: 'Euro',
      class: 'fiat',
      scale: 18,
      precision: 2,
      can_deposit: true,
      can_withdraw: true,
      providers: ['SEPA'],
    },
  ],
  markets: [
    market('BTC_USDT', { taker_fee: '0.1' }),
    market('ETH_USDT', {
      tick_size: undefined,
      step_size: undefined,
      stock_prec: 4,
      money_prec: 3,
      min_amount: '0.01',
      min_total: '1',
      max_total: '1000000',
      maker_fee: '-0.01',
      taker_fee: '0.05',
    }),
    market('NEW_USDT'),
  ],
  accounts: [account('alice', bases), account('bob', bases)],
};

let server;
let alice;
let bob;
let began;

before(async () => {
  server = await start(setup);
  alice = server.connect('alice');
  bob = server.connect('bob');
  began = Date.now();
  // Four deals: 100, 120, 90, 110; 3.5 BTC for 370 USDT.
  await deal(bob, alice, 'BTC/USDT', 'buy', 1, 100);
  await deal(bob, alice, 'BTC/USDT', 'buy', 0.5, 120);
  await deal(bob, alice, 'BTC/USDT', 'sell', 0.5, 90);
  await deal(bob, alice, 'BTC/USDT', 'buy', 1.5, 110);
  await alice.createOrder('BTC/USDT', 'limit', 'buy', 1, 105);
  await bob.createOrder('BTC/USDT', 'limit', 'buy', 0.25, 105);
  await alice.createOrder('BTC/USDT', 'limit', 'buy', 2, 104.5);
  await bob.createOrder('BTC/USDT', 'limit', 'sell', 0.75, 112);
  await bob.createOrder('BTC/USDT', 'limit', 'sell', 3, 115.5);
});

after(() => server?.stop());

describe('the exchange', () => {
  test('says that it is up', async () => {
    has(await alice.fetchStatus(), { status: 'ok', info: ['pong'] });
    assert.deepEqual(await alice.v4PublicGetPlatformStatus(), { status: 'system operational' });
  });

  test('tells the time in seconds', async () => {
    const time = await alice.fetchTime();
    assert.equal(time % 1000, 0);
    recent(time);
  });
});

describe('markets', () => {
  test('with tick and step', async () => {
    const markets = await alice.loadMarkets();
    assert.deepEqual(Object.keys(markets).sort(), ['BTC/USDT', 'ETH/USDT', 'NEW/USDT']);
    const btc = markets['BTC/USDT'];
    has(btc, {
      id: 'BTC_USDT',
      base: 'BTC',
      quote: 'USDT',
      type: 'spot',
      spot: true,
      margin: false,
      swap: false,
      active: true,
      maker: 0.001,
      taker: 0.001,
    });
    has(btc.precision, { amount: 0.000001, price: 0.01 });
    assert.equal(btc.limits.amount.min, 0.001);
    has(btc.limits.cost, { min: 5.05, max: 0 });
    assert.deepEqual(btc.info, {
      name: 'BTC_USDT',
      stock: 'BTC',
      money: 'USDT',
      stockPrec: '6',
      moneyPrec: '2',
      feePrec: '8',
      tickSize: '0.5',
      stepSize: '0.005',
      makerFee: '0.1',
      takerFee: '0.1',
      minAmount: '0.001',
      minTotal: '5.05',
      maxTotal: '0',
      tradesEnabled: true,
      isCollateral: false,
      type: 'spot',
      isTradFiFutures: false,
      delistedAt: null,
    });
  });

  test('without tick and step', async () => {
    const eth = (await alice.loadMarkets())['ETH/USDT'];
    has(eth, { maker: -0.0001, taker: 0.0005 });
    has(eth.precision, { amount: 0.0001, price: 0.001 });
    has(eth.limits.cost, { min: 1, max: 1000000 });
    has(eth.info, { tickSize: '', stepSize: '', makerFee: '-0.01', takerFee: '0.05' });
  });
});

describe('currencies', () => {
  test('crypto, with bounds and networks', async () => {
    const { BTC, ETH, USDT } = await alice.fetchCurrencies();
    has(BTC, { id: 'BTC', code: 'BTC', type: 'crypto', precision: 1e-8, deposit: true, withdraw: true });
    has(BTC.limits.deposit, { min: 0.0001, max: 0 });
    has(BTC.limits.withdraw, { min: 0.0003, max: 10 });
    has(BTC.info, {
      name: 'Bitcoin',
      currency_precision: 8,
      is_memo: false,
      memo: { deposit: false, withdraw: false },
      networks: { deposits: ['BTC'], withdraws: ['BTC'], default: 'BTC' },
      limits: { deposit: { BTC: { min: '0.0001' } }, withdraw: { BTC: { min: '0.0003', max: '10' } } },
      confirmations: { BTC: 2 },
      confirmations_for_trading: { BTC: 1 },
    });
    assert.ok(!('providers' in BTC.info));

    assert.equal(ETH.info.can_withdraw, false);
    assert.ok(!('withdraws' in ETH.info.networks), 'networks that nothing leaves by are listed');

    assert.equal(USDT.precision, 1e-6);
    assert.deepEqual([...USDT.info.networks.deposits].sort(), ['ERC20', 'TRC20']);
    assert.deepEqual(USDT.info.networks.withdraws, ['ERC20']);
    assert.deepEqual(USDT.info.confirmations, { ERC20: 12, TRC20: 20 });
    assert.deepEqual(USDT.info.confirmations_for_trading, { ERC20: 6, TRC20: 20 });
    has(USDT.networks.ERC20, { id: 'ERC20', deposit: true, withdraw: true });
    has(USDT.networks.TRC20, { id: 'TRC20', deposit: true, withdraw: false });
  });

  test('fiat has providers and no confirmations', async () => {
    const { EUR } = await alice.fetchCurrencies();
    has(EUR, { type: 'fiat', deposit: true, withdraw: true });
    assert.deepEqual(EUR.info.providers, { deposits: ['SEPA'], withdraws: ['SEPA'] });
    assert.ok(!('confirmations' in EUR.info));
  });
});

describe('tickers', () => {
  test('of one market', async () => {
    const ticker = await alice.fetchTicker('BTC/USDT');
    has(ticker, {
      symbol: 'BTC/USDT',
      open: 100,
      high: 120,
      low: 90,
      last: 110,
      close: 110,
      bid: 105,
      ask: 112,
      percentage: 10,
      change: 10,
      baseVolume: 3.5,
      quoteVolume: 370,
    });
  });

  test('of all markets', async () => {
    const tickers = await alice.fetchTickers();
    assert.deepEqual(Object.keys(tickers).sort(), ['BTC/USDT', 'ETH/USDT', 'NEW/USDT']);
    has(tickers['BTC/USDT'], { last: 110, baseVolume: 3.5, quoteVolume: 370, percentage: 10 });
    assert.equal(tickers['BTC/USDT'].info.isFrozen, false);
    has(tickers['NEW/USDT'], { last: undefined, baseVolume: 0, quoteVolume: 0 });
  });

  test('of a market without deals', async () => {
    has(await alice.fetchTicker('NEW/USDT'), {
      last: undefined, bid: undefined, ask: undefined, high: undefined, low: undefined, baseVolume: 0, quoteVolume: 0,
    });
  });
});

describe('the order book', () => {
  test('best first, amounts of a price together', async () => {
    const book = await alice.fetchOrderBook('BTC/USDT');
    assert.deepEqual(book.bids, [[105, 1.25], [104.5, 2]]);
    assert.deepEqual(book.asks, [[112, 0.75], [115.5, 3]]);
    recent(book.timestamp);
  });

  test('cut to a limit', async () => {
    const book = await alice.fetchOrderBook('BTC/USDT', 1);
    assert.deepEqual(book.bids, [[105, 1.25]]);
    assert.deepEqual(book.asks, [[112, 0.75]]);
  });

  test('of a market without orders', async () => {
    const book = await alice.fetchOrderBook('NEW/USDT');
    assert.deepEqual([book.bids, book.asks], [[], []]);
  });
});

describe('trades', () => {
  test('by the side of the taker', async () => {
    const trades = await alice.fetchTrades('BTC/USDT');
    trades.sort((a, b) => Number(a.id) - Number(b.id));
    assert.deepEqual(
      trades.map(({ side, price, amount, cost }) => ({ side, price, amount, cost })),
      [
        { side: 'buy', price: 100, amount: 1, cost: 100 },
        { side: 'buy', price: 120, amount: 0.5, cost: 60 },
        { side: 'sell', price: 90, amount: 0.5, cost: 45 },
        { side: 'buy', price: 110, amount: 1.5, cost: 165 },
      ],
    );
    for (const trade of trades) {
      recent(trade.timestamp);
      assert.equal(trade.info.rpi, false);
      assert.equal(Number(trade.info.base_volume), trade.cost);
    }
  });

  test('of one side', async () => {
    const sells = await alice.fetchTrades('BTC/USDT', undefined, undefined, { type: 'sell' });
    assert.deepEqual(sells.map((trade) => trade.price), [90]);
  });

  test('of a market without deals', async () => {
    assert.deepEqual(await alice.fetchTrades('NEW/USDT'), []);
  });
});

describe('candles', () => {
  // The deals may lie on both sides of a boundary: the candles with deals are taken together.
  const together = (candles) => {
    const dealt = candles.filter((candle) => candle[5] > 0);
    return {
      open: dealt[0]?.[1],
      high: Math.max(...dealt.map((candle) => candle[2])),
      low: Math.min(...dealt.map((candle) => candle[3])),
      close: dealt.at(-1)?.[4],
      volume: Number(dealt.reduce((sum, candle) => sum + candle[5], 0).toFixed(6)),
    };
  };
  const all = { open: 100, high: 120, low: 90, close: 110, volume: 3.5 };

  for (const [timeframe, seconds] of Object.entries({ '1m': 60, '5m': 300, '30m': 1800, '1h': 3600, '4h': 14400, '12h': 43200, '1d': 86400, '3d': 0, '1w': 0, '1M': 0 })) {
    test(`of ${timeframe}`, async () => {
      const candles = await alice.fetchOHLCV('BTC/USDT', timeframe);
      assert.deepEqual(together(candles), all);
      for (let i = 0; i < candles.length; i += 1) {
        if (seconds > 0) assert.equal(candles[i][0] % (seconds * 1000), 0);
        assert.ok(i === 0 || candles[i][0] > candles[i - 1][0], 'a candle appears twice');
        assert.ok(candles[i][0] <= Date.now(), 'a candle of the future');
      }
    });
  }

  test('from a moment on, no more than a limit', async () => {
    const hour = 3600000;
    const since = Math.floor(began / hour) * hour - hour;
    const candles = await alice.fetchOHLCV('BTC/USDT', '1h', since, 10);
    assert.deepEqual(together(candles), all);
    assert.ok(candles.length <= 10);
    assert.ok(candles[0][0] >= since);
  });

  test('the last few', async () => {
    const candles = await alice.fetchOHLCV('BTC/USDT', '1d', undefined, 3);
    assert.deepEqual(together(candles), all);
    assert.ok(candles.length <= 3);
  });

  test('in money too', async () => {
    const { success, result } = await alice.v1PublicGetKline({ market: 'BTC_USDT', interval: '1M' });
    assert.equal(success, true);
    const money = result.reduce((sum, candle) => sum + Number(candle[6]), 0);
    assert.equal(minus(money, 370), 0);
    for (const candle of result) {
      assert.equal(candle.length, 7);
      assert.equal(typeof candle[0], 'number');
      for (const value of candle.slice(1)) assert.equal(typeof value, 'string');
    }
  });
});

describe('fees', () => {
  test('of trading', async () => {
    const fees = await alice.fetchTradingFees();
    assert.deepEqual(Object.keys(fees).sort(), ['BTC/USDT', 'ETH/USDT', 'NEW/USDT']);
    has(fees['BTC/USDT'], { symbol: 'BTC/USDT', maker: 0.001, taker: 0.001, percentage: true });
    has(await alice.fetchTradingFee('BTC/USDT'), { maker: 0.001, taker: 0.001 });
  });

  test('of the account on a market', async () => {
    has(await alice.v4PrivatePostMarketFeeSingle({ market: 'ETH_USDT' }), {
      error: null, taker: '0.05', maker: '-0.01', rpi_maker_fee_premium: null, futures_rpi_maker_fee_premium: null,
    });
  });

  test('of the account in general', async () => {
    const fees = await alice.v4PrivatePostMarketFee();
    assert.equal(fees.error, null);
    for (const field of ['taker', 'maker', 'futures_taker', 'futures_maker']) {
      assert.match(fees[field], /^-?\d+(\.\d+)?$/, field);
    }
    assert.deepEqual(fees.custom_fee, {});
    has(fees, { rpi_maker_fee_premium: null, futures_rpi_maker_fee_premium: null });
  });
});

test('there are no futures', async () => {
  assert.deepEqual(await alice.fetchFundingRates(), {});
  assert.deepEqual(await alice.fetchTickers(undefined, { type: 'swap' }), {});
});

describe('the old listings', () => {
  test('markets, symbols, depth, history', async () => {
    const { result: symbols } = await alice.v1PublicGetSymbols();
    assert.deepEqual([...symbols].sort(), ['BTC_USDT', 'ETH_USDT', 'NEW_USDT']);

    const { result: markets } = await alice.v1PublicGetMarkets();
    has(markets.find((entry) => entry.name === 'BTC_USDT'), {
      stock: 'BTC', money: 'USDT', stockPrec: '6', moneyPrec: '2', minAmount: '0.001', makerFee: '0.1', takerFee: '0.1',
    });

    const depth = await alice.v1PublicGetDepthResult({ market: 'BTC_USDT', limit: 1 });
    has(depth, { asks: [['112', '0.75']], bids: [['105', '1.25']] });

    const { result: history } = await alice.v1PublicGetHistory({ market: 'BTC_USDT', lastId: 0 });
    assert.deepEqual(
      history.map(({ price, amount, type }) => ({ price, amount, type })),
      [
        { price: '110', amount: '1.5', type: 'buy' },
        { price: '90', amount: '0.5', type: 'sell' },
        { price: '120', amount: '0.5', type: 'buy' },
        { price: '100', amount: '1', type: 'buy' },
      ],
    );

    const { result: tickers } = await alice.v1PublicGetTickers();
    has(tickers.BTC_USDT.ticker, { bid: '105', ask: '112', low: '90', high: '120', last: '110', vol: '3.5', deal: '370' });
  });
});
