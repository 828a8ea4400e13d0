// Requests as code in four languages: complete programs that run as they are shown.
export interface Call {
  method: string;
  url: string;
  path: string;
  /** The members of a request that is not public, without `request` and `nonce`; null for a public one. */
  members: Record<string, unknown> | null;
  /** Whether the call is made with an access token instead of a signature. */
  byToken: boolean;
}

export interface Names {
  key: string;
  secret: string;
}

export const languages = ['curl', 'Python', 'JavaScript', 'Go'] as const;
export type Language = (typeof languages)[number];

export function code(language: Language, call: Call, by: Names): string {
  const text = JSON.stringify;
  if (call.members === null) {
    switch (language) {
      case 'curl':
        return `curl -sS ${shell(call.url)}\n`;
      case 'Python':
        return `import urllib.request\n\nwith urllib.request.urlopen(${text(call.url)}) as answer:\n    print(answer.read().decode())\n`;
      case 'JavaScript':
        return `const answer = await fetch(${text(call.url)});\nconsole.log(answer.status, await answer.text());\n`;
      case 'Go':
        return publicGo(text(call.url));
    }
  }
  const { path, url } = call;
  const members = call.members;
  if (call.byToken) return byToken(language, url, members);
  switch (language) {
    case 'curl':
      return signedShell(url, path, members, by);
    case 'Python':
      return signedPython(url, path, members, by);
    case 'JavaScript':
      return signedScript(url, path, members, by);
    case 'Go':
      return signedGo(url, path, members, by);
  }
}

/** A call with an access token, which is the business of the program's server. */
function byToken(language: Language, url: string, members: object): string {
  const [at, body] = [JSON.stringify(url), JSON.stringify(members)];
  switch (language) {
    case 'curl':
      return `token='YOUR_ACCESS_TOKEN'
curl -sS -H 'Content-Type: application/json' -H "Authorization: Bearer $token" -d ${shell(body)} ${shell(url)}
`;
    case 'Python':
      return `import json, urllib.error, urllib.request

headers = {"Content-Type": "application/json", "Authorization": "Bearer YOUR_ACCESS_TOKEN"}
body = json.dumps(${python(members)}).encode()
try:
    with urllib.request.urlopen(urllib.request.Request(${at}, body, headers)) as answer:
        print(answer.read().decode())
except urllib.error.HTTPError as refusal:
    print(refusal.code, refusal.read().decode())
`;
    case 'JavaScript':
      return `const answer = await fetch(${at}, {
  method: 'POST',
  body: JSON.stringify(${JSON.stringify(members, null, 2).replaceAll('\n', '\n  ')}),
  headers: { 'Content-Type': 'application/json', Authorization: 'Bearer YOUR_ACCESS_TOKEN' },
});
console.log(answer.status, await answer.text());
`;
    case 'Go':
      return `package main

import (
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

func main() {
	request, err := http.NewRequest("POST", ${at}, strings.NewReader(${JSON.stringify(body)}))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer YOUR_ACCESS_TOKEN")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.Copy(os.Stdout, answer.Body); err != nil {
		log.Fatal(err)
	}
}
`;
  }
}

function shell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function signedShell(url: string, path: string, members: object, by: Names): string {
  const body = JSON.stringify({ ...members, request: path }).slice(0, -1);
  return `key=${shell(by.key)} secret=${shell(by.secret)}
nonce=$(perl -MTime::HiRes=time -e 'printf "%.0f", 1000 * time') # must grow with each request
body=${shell(`${body},"nonce":`)}$nonce'}'
payload=$(printf %s "$body" | openssl base64 -A)
signature=$(printf %s "$payload" | openssl dgst -sha512 -hmac "$secret" | sed 's/.* //')
curl -sS -H 'Content-Type: application/json' -H "X-TXC-APIKEY: $key" \\
  -H "X-TXC-PAYLOAD: $payload" -H "X-TXC-SIGNATURE: $signature" -d "$body" ${shell(url)}
`;
}

/** A value as Python writes it. */
function python(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (typeof value === 'object') {
    return `{${Object.entries(value as object).map(([name, part]) => `${JSON.stringify(name)}: ${python(part)}`).join(', ')}}`;
  }
  return JSON.stringify(value);
}

function signedPython(url: string, path: string, members: object, by: Names): string {
  return `import base64, hashlib, hmac, json, time, urllib.error, urllib.request

key, secret = ${JSON.stringify(by.key)}, ${JSON.stringify(by.secret)}
fields = ${python({ ...members, request: path })}
fields["nonce"] = time.time_ns() // 1_000_000  # must grow with each request
body = json.dumps(fields).encode()
payload = base64.b64encode(body)
headers = {
    "Content-Type": "application/json",
    "X-TXC-APIKEY": key,
    "X-TXC-PAYLOAD": payload.decode(),
    "X-TXC-SIGNATURE": hmac.new(secret.encode(), payload, hashlib.sha512).hexdigest(),
}
try:
    with urllib.request.urlopen(urllib.request.Request(${JSON.stringify(url)}, body, headers)) as answer:
        print(answer.read().decode())
except urllib.error.HTTPError as refusal:
    print(refusal.code, refusal.read().decode())
`;
}

function signedScript(url: string, path: string, members: object, by: Names): string {
  return `import { createHmac } from 'node:crypto'; // Node.js 18 or later, in a file that ends with .mjs

const [key, secret] = [${JSON.stringify(by.key)}, ${JSON.stringify(by.secret)}];
const fields = ${JSON.stringify({ ...members, request: path }, null, 2)};
const body = JSON.stringify({ ...fields, nonce: Date.now() }); // the nonce must grow with each request
const payload = Buffer.from(body).toString('base64');
const answer = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  body,
  headers: {
    'Content-Type': 'application/json',
    'X-TXC-APIKEY': key,
    'X-TXC-PAYLOAD': payload,
    'X-TXC-SIGNATURE': createHmac('sha512', secret).update(payload).digest('hex'),
  },
});
console.log(answer.status, await answer.text());
`;
}

function publicGo(url: string): string {
  return `package main

import (
	"io"
	"log"
	"net/http"
	"os"
)

func main() {
	answer, err := http.Get(${url})
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.Copy(os.Stdout, answer.Body); err != nil {
		log.Fatal(err)
	}
}
`;
}

/** A value as Go writes it. */
function go(value: unknown): string {
  if (value === null) return 'nil';
  if (Array.isArray(value)) return `[]any{${value.map(go).join(', ')}}`;
  if (typeof value === 'object') {
    return `map[string]any{${Object.entries(value as object).map(([name, part]) => `${JSON.stringify(name)}: ${go(part)}`).join(', ')}}`;
  }
  return JSON.stringify(value);
}

function signedGo(url: string, path: string, members: object, by: Names): string {
  return `package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

const key, secret = ${JSON.stringify(by.key)}, ${JSON.stringify(by.secret)}

func main() {
	fields := ${go({ ...members, request: path })}
	fields["nonce"] = time.Now().UnixMilli() // must grow with each request
	body, err := json.Marshal(fields)
	if err != nil {
		log.Fatal(err)
	}
	payload := base64.StdEncoding.EncodeToString(body)
	mac := hmac.New(sha512.New, []byte(secret))
	mac.Write([]byte(payload))
	request, err := http.NewRequest("POST", ${JSON.stringify(url)}, bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-TXC-APIKEY", key)
	request.Header.Set("X-TXC-PAYLOAD", payload)
	request.Header.Set("X-TXC-SIGNATURE", hex.EncodeToString(mac.Sum(nil)))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.Copy(os.Stdout, answer.Body); err != nil {
		log.Fatal(err)
	}
}
`;
}
