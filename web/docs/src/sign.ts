// How a private call is signed: the body in base64 is the payload, and its HMAC-SHA512 by the secret,
// in hex, the signature. The browser's own cryptography is only there on https and on localhost, so
// it is not used.
import { hmac } from '@noble/hashes/hmac.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

export interface Credentials {
  key: string;
  secret: string;
}

export interface Signed {
  /** Exactly what was signed, and what must be sent. */
  body: string;
  headers: Record<string, string>;
}

let last = 0;

/** Milliseconds, and greater than every nonce before. */
function nonce(): number {
  last = Math.max(Date.now(), last + 1);
  return last;
}

/** Signs a call of a path. What the body says of `request` and `nonce` is replaced. */
export function sign(path: string, members: object, by: Credentials): Signed {
  const body = JSON.stringify({ ...members, request: path, nonce: nonce() });
  const payload = base64(utf8ToBytes(body));
  return {
    body,
    headers: {
      'X-TXC-APIKEY': by.key,
      'X-TXC-PAYLOAD': payload,
      'X-TXC-SIGNATURE': bytesToHex(hmac(sha512, utf8ToBytes(by.secret), utf8ToBytes(payload))),
    },
  };
}

function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
