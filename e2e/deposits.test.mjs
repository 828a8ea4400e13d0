// Addresses, and deposits that come to them by the blocks of sandboxes.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import ccxt from 'ccxt';
import { account, crypto, has, market, recent, refused, start } from './exchange.mjs';

const network = (name, chain, more = {}) => ({
  name, chain, default: false, can_deposit: true, can_withdraw: true, confirmations: 3, confirmations_for_trading: 1, ...more,
});
const chain = (name, family) => ({ name, driver: 'sandbox', family, net: 'testnet', interval: '0', paused: false });

let server;
let alice;

before(async () => {
  server = await start({
    chains: [chain('BTC', 'bitcoin'), chain('ETH', 'evm'), chain('TRX', 'tron'), chain('XRP', 'xrp')],
    assets: [
      crypto('USDT', { precision: 6, networks: [network('ERC20', 'ETH', { default: true, deposit_fixed: '1.5' }), network('TRC20', 'TRX')] }),
      crypto('BTC', { networks: [network('BTC', 'BTC', { min_deposit: '0.001' })] }),
      crypto('XRP', { deposit_memo: true, networks: [network('XRP', 'XRP')] }),
      crypto('OLD'),
    ],
    markets: ['BTC_USDT', 'XRP_USDT', 'OLD_USDT'].map((name) => market(name)),
    accounts: [account('alice', [], { new_addresses: true, deposits: {}, trade: {} })],
  });
  alice = server.connect('alice');
});

after(() => server?.stop());

const mines = (name, blocks) => server.operate('POST', `/v1/chains/${name}/blocks`, { blocks });
const sends = (name, asset, amount, to) => server.operate('POST', `/v1/chains/${name}/payments`, {
  asset, amount, address: to.address, ...(to.tag === undefined ? {} : { memo: to.tag }),
});
const main = async (code) => (await alice.v4PrivatePostMainAccountBalance({ ticker: code }))[code];

describe('addresses', () => {
  test('are the same on every call', async () => {
    const first = await alice.fetchDepositAddress('BTC');
    has(first, { currency: 'BTC', tag: undefined });
    assert.match(first.address, /^tb1q[0-9a-z]{38}$/);
    assert.equal((await alice.fetchDepositAddress('BTC')).address, first.address);
    assert.deepEqual(first.info.required, { fixedFee: '0', flexFee: { maxFee: '0', minFee: '0', percent: '0' }, maxAmount: '0', minAmount: '0.001' });
  });

  test('of networks', async () => {
    const usual = await alice.fetchDepositAddress('USDT');
    assert.match(usual.address, /^0x[0-9a-fA-F]{40}$/);
    assert.equal(usual.info.required.fixedFee, '1.5');
    assert.equal((await alice.fetchDepositAddress('USDT', { network: 'ERC20' })).address, usual.address);
    assert.match((await alice.fetchDepositAddress('USDT', { network: 'TRC20' })).address, /^T[1-9A-Za-z]{33}$/);
    const tagged = await alice.fetchDepositAddress('XRP');
    assert.match(tagged.address, /^r[1-9A-Za-z]{24,34}$/);
    assert.match(tagged.tag, /^[1-9][0-9]*$/);
  });

  test('are created', async () => {
    const first = await alice.fetchDepositAddress('BTC');
    const second = await alice.createDepositAddress('BTC');
    has(second, { currency: 'BTC', tag: undefined });
    assert.notEqual(second.address, first.address);
    assert.match((await alice.createDepositAddress('BTC', { type: 'p2sh-segwit' })).address, /^2[1-9A-Za-z]{34}$/);
    assert.equal((await alice.fetchDepositAddress('BTC')).address, first.address);
  });

  test('are not of all networks', async () => {
    await refused(alice.fetchDepositAddress('OLD'), ccxt.ExchangeError, {
      code: 1, message: 'Inner validation failed', errors: { ticker: ['Currency is not depositable'] },
    });
    await refused(alice.fetchDepositAddress('BTC', { network: 'ERC20' }), ccxt.ExchangeError, {
      code: 0, message: 'Validation failed', errors: { network: ['The selected network is invalid.'] },
    });
    await refused(alice.createDepositAddress('BTC', { network: 'ERC20' }), ccxt.ExchangeError, {
      code: 0, message: 'Validation failed', errors: { network: ['Cannot find currency for specified network'] },
    });
  });
});

describe('deposits', () => {
  test('are seen, confirmed and credited', async () => {
    const to = await alice.fetchDepositAddress('XRP');
    await sends('XRP', 'XRP', '12.5', to);
    assert.deepEqual(await alice.fetchDeposits('XRP'), []);
    await mines('XRP', 1);
    const [pending, ...others] = await alice.fetchDeposits('XRP');
    assert.deepEqual(others, []);
    has(pending, {
      id: undefined, type: 'deposit', currency: 'XRP', amount: 12.5, status: 'pending', address: to.address, tag: to.tag, network: 'XRP',
      fee: { cost: 0, currency: 'XRP' },
    });
    recent(pending.timestamp);
    assert.deepEqual(pending.info.confirmations, { actual: 1, required: 3 });
    assert.deepEqual(await main('XRP'), { main_balance: '12.5', pending_deposit_amount: '12.5' });
    await mines('XRP', 2);
    const [credited] = await alice.fetchDeposits('XRP');
    has(credited, { status: 'ok', txid: pending.txid, amount: 12.5 });
    assert.deepEqual(await main('XRP'), { main_balance: '12.5', pending_deposit_amount: '0' });
    has(await alice.fetchDeposit(credited.txid, 'XRP'), { txid: credited.txid, amount: 12.5, status: 'ok' });
  });

  test('cost what was said', async () => {
    await sends('ETH', 'USDT', '100', await alice.fetchDepositAddress('USDT'));
    await mines('ETH', 3);
    const [credited] = await alice.fetchDeposits('USDT');
    has(credited, { amount: 100, network: 'ERC20', status: 'ok', fee: { cost: 1.5, currency: 'USDT' } });
    assert.deepEqual(await main('USDT'), { main_balance: '98.5', pending_deposit_amount: '0' });
    const fees = await alice.fetchDepositWithdrawFees(['USDT', 'BTC']);
    assert.deepEqual([fees.USDT.deposit.fee, fees.USDT.withdraw.fee, fees.BTC.deposit.fee], [1.5, undefined, undefined]);
  });

  test('below the minimum are not credited', async () => {
    await sends('BTC', 'BTC', '0.0009', await alice.fetchDepositAddress('BTC'));
    await mines('BTC', 3);
    const [small] = await alice.fetchDeposits('BTC');
    has(small, { amount: 0.0009, status: '22' });
    assert.deepEqual(await main('BTC'), { main_balance: '0', pending_deposit_amount: '0' });
  });

  test('are listed with all that comes and goes', async () => {
    const all = await alice.fetchDepositsWithdrawals();
    assert.deepEqual(all.map((one) => one.currency).sort(), ['BTC', 'USDT', 'XRP']);
    assert.deepEqual((await alice.fetchTransactions('USDT')).map((one) => one.amount), [100]);
    assert.deepEqual((await alice.fetchDepositsWithdrawals(undefined, undefined, 2)).length, 2);
    assert.deepEqual(await alice.fetchWithdrawals(), []);
  });

  test('that are canceled go back', async () => {
    const private4 = (path, fields = {}) => alice.request(`main-account/${path}`, ['v4', 'private'], 'POST', fields);
    await sends('BTC', 'BTC', '0.0005', await alice.fetchDepositAddress('BTC'));
    await mines('BTC', 3);
    const [{ id }] = await server.operate('GET', '/v1/deposits?status=uncredited');
    await server.operate('POST', `/v1/deposits/${id}/decision`, { decision: 'cancel' });
    const canceled = (await alice.fetchDeposits('BTC')).find((one) => one.info.status === 4);
    const transactionId = canceled.info.transaction_id;
    const address = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';
    assert.deepEqual(await private4('refund-deposit', { transactionId, address }), { transactionId, id: transactionId });
    await mines('BTC', 3);
    const [refund] = (await private4('refund-history')).records;
    has(refund, { depositId: transactionId, ticker: 'BTC', network: 'BTC', depositAmount: '0.0005', refundAmount: '0.0005', refundAddress: address, status: 'successful', memo: null });
    assert.match(refund.refundHash, /^[0-9a-f]{64}$/);
    await refused(private4('refund-deposit', { transactionId, address }), ccxt.ExchangeError, { code: 0, message: 'Transaction not refundable', errors: {} });
    const { assets } = await private4('withdrawable-balance');
    assert.equal(assets.USDT, (await main('USDT')).main_balance);
  });
});
