#!/usr/bin/env bash
# Looks at money and book, places a limit order inside the spread, finds it among the open orders and
# cancels it; with bash, curl, openssl and perl, on Linux and macOS: examples/trade.sh [MARKET]
#
# The exchange is that of BOURSE_URL, with BOURSE_API_KEY and BOURSE_API_SECRET, or else the one that
# wrote data/demo.json, with its first account.
set -euo pipefail
market=${1:-BTC_USDT}

fail() {
  echo "$*" >&2
  exit 1
}

# text NAME and number NAME are the first such member of the JSON on standard input.
text() { grep -o "\"$1\": *\"[^\"]*\"" | head -n 1 | cut -d'"' -f4; }
number() { grep -o "\"$1\": *[0-9]*" | head -n 1 | grep -o '[0-9]*$'; }

if [[ -n ${BOURSE_URL:-} ]]; then
  url=$BOURSE_URL key=${BOURSE_API_KEY:?} secret=${BOURSE_API_SECRET:?}
elif [[ -e data/demo.json ]]; then
  url=$(text rest <data/demo.json) key=$(text apiKey <data/demo.json) secret=$(text secret <data/demo.json)
else
  fail "No exchange: there is no data/demo.json; set BOURSE_URL, BOURSE_API_KEY and BOURSE_API_SECRET."
fi

# answer CURL-ARGUMENTS is the body of a good answer; another one ends the program.
answer() {
  local said
  said=$(curl -sS --max-time 10 -w '\n%{http_code}' "$@") || exit 1
  [[ ${said##*$'\n'} == 200 ]] || fail "The exchange refused: ${said%$'\n'*}"
  printf '%s\n' "${said%$'\n'*}"
}

# The time in milliseconds; not every date knows %N.
now() { perl -MTime::HiRes=time -e 'printf "%.0f", 1000 * time'; }

# signed PATH MEMBERS sends a private request. The nonce must grow with each one: milliseconds do, as long
# as curl takes longer than one.
signed() {
  local body payload signature
  body="{$2${2:+,}\"request\":\"$1\",\"nonce\":$(now)}"
  payload=$(printf %s "$body" | openssl base64 -A)
  signature=$(printf %s "$payload" | openssl dgst -sha512 -hmac "$secret" | sed 's/.* //')
  answer -H "Content-Type: application/json" -H "X-TXC-APIKEY: $key" -H "X-TXC-PAYLOAD: $payload" \
    -H "X-TXC-SIGNATURE: $signature" -d "$body" "$url$1"
}

# Money is counted in units of 10^-8, as whole numbers: units 0.5 is 50000000, decimal 50000000 is 0.5.
units() {
  local whole=${1%%.*} part=
  [[ $1 != *.* ]] || part=${1#*.}
  ((${#part} <= 8)) || fail "$1 has more decimals than this example can count"
  printf -v part '%-8s' "$part"
  echo $((10#$whole${part// /0}))
}
decimal() {
  local part
  printf -v part '%08d' $(($1 % 100000000))
  while [[ $part == *0 ]]; do part=${part%0}; done
  echo "$(($1 / 100000000))${part:+.$part}"
}

markets=$(answer "$url/api/v4/public/markets")
rules=$(grep -o "{\"name\":\"$market\"[^}]*}" <<<"$markets") || fail "There is no market $market."
stock=$(text stock <<<"$rules") money=$(text money <<<"$rules")
tick=$(units "$(text tickSize <<<"$rules")") step=$(units "$(text stepSize <<<"$rules")")
least=$(units "$(text minAmount <<<"$rules")") total=$(units "$(text minTotal <<<"$rules")")

balance=$(signed /api/v4/trade-account/balance "")
available() { grep -o "\"$1\":{[^}]*}" <<<"$balance" | text available; }
echo "Balance: $(available "$stock") $stock, $(available "$money") $money"

book=$(answer "$url/api/v4/public/orderbook/$market?limit=1")
best() { grep -o "\"$1\":\[\[\"[^\"]*\"" <<<"$book" | cut -d'"' -f4; }
bid=$(best bids) && ask=$(best asks) || fail "The book of $market needs a bid and an ask; put orders there with examples/order.sh."
echo "Book of $market: best bid $bid, best ask $ask"

# One tick above the best bid and below the best ask; the smallest amount that the market takes, in
# whole steps.
bid=$(units "$bid") ask=$(units "$ask")
price=$((bid + tick < ask ? bid + tick : ask - tick))
total=$((total * 100000000 / price + 1)) # as an amount
least=$((least > total ? least : total))
amount=$(decimal $(((least + step - 1) / step * step))) price=$(decimal "$price")

placed=$(signed /api/v4/order/new "\"market\":\"$market\",\"side\":\"buy\",\"amount\":\"$amount\",\"price\":\"$price\",\"postOnly\":true")
id=$(number orderId <<<"$placed")
echo "Placed order $id: buy $amount $stock at $price $money"

open=$(signed /api/v4/orders "\"market\":\"$market\"")
grep -q "\"orderId\":$id," <<<"$open" || fail "Order $id is not open: $open"
echo "Order $id is open"

canceled=$(signed /api/v4/order/cancel "\"market\":\"$market\",\"orderId\":$id")
echo "Canceled order $id: $(text left <<<"$canceled") $stock left"
