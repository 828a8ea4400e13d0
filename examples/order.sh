#!/usr/bin/env bash
# Places a limit order with nothing but a shell, curl, openssl and perl, on Linux and macOS:
# examples/order.sh MARKET SIDE AMOUNT PRICE [KEY SECRET]
#
# The exchange is that of BOURSE_URL, with BOURSE_API_KEY and BOURSE_API_SECRET. Without BOURSE_URL it is
# the one that wrote data/demo.json (`make run`), or else one made from examples/venue.json.
set -euo pipefail
market=${1:?market, such as BTC_USDT} side=${2:?buy or sell} amount=${3:?amount} price=${4:?price}

member() { grep -o "\"$1\": *\"[^\"]*\"" data/demo.json | head -n 1 | cut -d'"' -f4; }
url=${BOURSE_URL:-} key=${BOURSE_API_KEY:-alice-key} secret=${BOURSE_API_SECRET:-alice-secret}
if [[ -z $url && -e data/demo.json ]]; then
  url=$(member rest) key=$(member apiKey) secret=$(member secret)
fi
url=${url:-http://127.0.0.1:8080} key=${5:-$key} secret=${6:-$secret}

path=/api/v4/order/new nonce=$(perl -MTime::HiRes=time -e 'printf "%.0f", 1000 * time') # not every date knows %N
body="{\"market\":\"$market\",\"side\":\"$side\",\"amount\":\"$amount\",\"price\":\"$price\",\"request\":\"$path\",\"nonce\":$nonce}"
payload=$(printf %s "$body" | openssl base64 -A)
signature=$(printf %s "$payload" | openssl dgst -sha512 -hmac "$secret" | sed 's/.* //')
curl -sS -H "Content-Type: application/json" -H "X-TXC-APIKEY: $key" \
  -H "X-TXC-PAYLOAD: $payload" -H "X-TXC-SIGNATURE: $signature" -d "$body" "$url$path"
echo
