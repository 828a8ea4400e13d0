// The docs page of a demo: it fills in the keys of the demo's accounts, and its code runs as it is shown.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { launch, watched } from './browser.mjs';
import { demo } from './exchange.mjs';

const balance = '/api/v4/trade-account/balance';

describe('the docs page of a demo', () => {
  let venue;
  let directory;
  let browser;

  before(async () => {
    venue = await demo();
    browser = await launch();
    directory = await mkdtemp(join(tmpdir(), 'bourse-code-'));
  });

  after(async () => {
    await browser?.close();
    await venue?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const run = promisify(execFile);
  const programs = {
    curl: ['bash', 'request.sh'], Python: ['python3', 'request.py'], JavaScript: ['node', 'request.mjs'], Go: ['go', 'request.go'],
  };

  test('fills in the key of alice, and its code runs as it is shown', async () => {
    const { page, complaints, leave } = await watched(browser);
    await page.goto(`${venue.url}/docs`);
    await page.getByRole('button', { name: 'Use alice' }).click();
    for (const [path, answer] of [[balance, /"USDT":\{"available":"/], ['/api/v4/public/ping', /\["pong"\]/]]) {
      const block = page.locator('.opblock', { has: page.locator(`[data-path="${path}"]`) });
      await block.locator('.opblock-summary-control').click();
      for (const [language, [program, file]] of Object.entries(programs)) {
        await block.getByRole('button', { name: language, exact: true }).click();
        const at = join(directory, file);
        await writeFile(at, await block.locator('.code pre').textContent());
        const { stdout } = await run(program, program === 'go' ? ['run', at] : [at]);
        assert.match(stdout, answer, language);
      }
    }
    assert.deepEqual(complaints, []);
    await leave();
  });

  test('hands out its accounts on this machine only', async () => {
    const ask = (headers) => run('curl', ['-sS', ...headers.flatMap((header) => ['-H', header]), `${venue.url}/docs/guests.json`]);
    const here = JSON.parse((await ask([])).stdout);
    assert.deepEqual(here.map(({ name }) => name), ['alice', 'bob', 'carol']);
    assert.equal((await ask(['Host: exchange.example'])).stdout, '[]');
    assert.equal((await ask(['X-Forwarded-For: 10.1.2.3'])).stdout, '[]');
  });
});
