// The OpenAPI document that the program serves, read by a validator that nobody here wrote.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { start, world } from './exchange.mjs';

let venue;
let document;

before(async () => {
  venue = await start(world(['BTC'], ['alice']));
  const response = await fetch(`${venue.url}/openapi.json`);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type'), /^application\/json/);
  document = await response.json();
});

after(() => venue?.stop());

describe('the document', () => {
  test('is good OpenAPI 3.1', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document));
    assert.ok(valid, JSON.stringify(errors, null, 2));
    assert.equal(validator.version, '3.1');
  });

  test('describes operations that are there', async () => {
    const operations = Object.entries(document.paths)
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => [method.toUpperCase(), path]));
    assert.ok(operations.length > 40);
    for (const [method, path] of operations) {
      const { status } = await fetch(venue.url + path.replace('{market}', 'BTC_USDT'), { method });
      assert.ok(![404, 405].includes(status), `${method} ${path} answers ${status}`);
    }
  });

  test('needs a signature exactly where the program does', async () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const { status } = await fetch(venue.url + path.replace('{market}', 'BTC_USDT'), { method: method.toUpperCase() });
        assert.equal(status === 401, operation.security.length > 0, `${method} ${path} answers ${status}`);
      }
    }
  });
});
