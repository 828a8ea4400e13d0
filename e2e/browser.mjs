// A real browser for the tests of pages, and pages that are watched: nothing may come from another place,
// and no secret may leave them.
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

// A name of this machine that browsers do not trust as they trust localhost.
export const elsewhere = 'exchange.test';

export function launch() {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', `--host-resolver-rules=MAP ${elsewhere} 127.0.0.1`,
    ],
  });
}

// A page of a browser, or of a context that tabs share, with what it asked for and what the browser complained about.
// Checking it looks at the former and forgets both; leaving it checks it too.
export async function watched(browser) {
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000); // a slow machine takes its time for a page with every operation
  const requests = [];
  const complaints = [];
  page.on('request', (request) => requests.push(request));
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) complaints.push(message.text()); });
  page.on('pageerror', (error) => complaints.push(error.message));
  const check = () => {
    const { origin } = new URL(page.url());
    for (const request of requests) {
      const url = new URL(request.url());
      assert.ok(url.origin === origin || url.protocol === 'data:', `the page asked ${url}`);
      const sent = request.url() + JSON.stringify(request.headers()) + request.postData();
      assert.ok(!sent.includes('-secret'), `the secret was sent to ${url}`);
    }
    requests.length = 0;
    complaints.length = 0;
  };
  const leave = async () => {
    check();
    await page.close();
  };
  return { page, requests, complaints, check, leave };
}
