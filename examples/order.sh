#!/usr/bin/env bash
# Places a limit order on an exchange that was started with `make run`, with nothing but a shell:
# examples/order.sh MARKET SIDE AMOUNT PRICE [KEY SECRET]
set -euo pipefail
market=${1:?market, such as BTC_USDT} side=${2:?buy or sell} amount=${3:?amount} price=${4:?price}
key=${5:-alice-key} secret=${6:-alice-secret} url=${BOURSE_URL:-http://127.0.0.1:8080}

path=/api/v4/order/new
body="{\"market\":\"$market\",\"side\":\"$side\",\"amount\":\"$amount\",\"price\":\"$price\",\"request\":\"$path\",\"nonce\":$(date +%s%N)}"
payload=$(printf %s "$body" | base64 -w0)
signature=$(printf %s "$payload" | openssl dgst -sha512 -hmac "$secret" -r | cut -d' ' -f1)
curl -sS -H "Content-Type: application/json" -H "X-TXC-APIKEY: $key" \
  -H "X-TXC-PAYLOAD: $payload" -H "X-TXC-SIGNATURE: $signature" -d "$body" "$url$path"
echo
