#!/usr/bin/env python3
"""Looks at money and book, places a limit order inside the spread, finds it among the open orders
and cancels it; with the standard library of Python 3.9 alone: examples/trade.py [MARKET]

The exchange is that of BOURSE_URL, with BOURSE_API_KEY and BOURSE_API_SECRET, or else the one that
wrote data/demo.json, with its first account.
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
import urllib.error
import urllib.request
from decimal import ROUND_CEILING, Decimal


class Exchange:
    """A connection with a key. Money is Decimal; a float would not be exact."""

    def __init__(self, url, key, secret):
        self.url, self.key, self.secret = url, key, secret.encode()
        self.nonce = 0

    def get(self, path):
        """Asks for something public."""
        return self._send(urllib.request.Request(self.url + path))

    def post(self, path, **fields):
        """Sends a signed request: the body in base64 is what is signed."""
        self.nonce = max(self.nonce + 1, time.time_ns() // 1_000_000)  # must grow with each request
        body = json.dumps({**fields, "request": path, "nonce": self.nonce}).encode()
        payload = base64.b64encode(body)
        signature = hmac.new(self.secret, payload, hashlib.sha512).hexdigest()
        headers = {
            "Content-Type": "application/json",
            "X-TXC-APIKEY": self.key,
            "X-TXC-PAYLOAD": payload.decode(),
            "X-TXC-SIGNATURE": signature,
        }
        return self._send(urllib.request.Request(self.url + path, body, headers))

    def _send(self, request):
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return json.load(answer, parse_float=Decimal)
        except urllib.error.HTTPError as refusal:
            sys.exit(f"The exchange refused: {refusal.read().decode()}")
        except OSError as error:
            sys.exit(f"{self.url} does not answer: {error}")


def connect():
    if os.environ.get("BOURSE_URL"):
        return Exchange(os.environ["BOURSE_URL"], os.environ.get("BOURSE_API_KEY", ""), os.environ.get("BOURSE_API_SECRET", ""))
    try:
        with open("data/demo.json", encoding="utf-8") as file:
            demo = json.load(file)
    except FileNotFoundError:
        sys.exit("No exchange: there is no data/demo.json; set BOURSE_URL, BOURSE_API_KEY and BOURSE_API_SECRET.")
    account = demo["accounts"][0]
    return Exchange(demo["rest"], account["apiKey"], account["secret"])


def smallest(market, price):
    """The smallest amount that a market takes at a price, in whole steps."""
    step = Decimal(market["stepSize"])
    least = max(Decimal(market["minAmount"]), Decimal(market["minTotal"]) / price)
    return (least / step).to_integral_value(ROUND_CEILING) * step


def text(number):
    """A number as the exchange writes it: no exponent, no zeros at the end."""
    return f"{number.normalize():f}"


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "BTC_USDT"
    exchange = connect()
    market = next((m for m in exchange.get("/api/v4/public/markets") if m["name"] == name), None)
    if market is None:
        sys.exit(f"There is no market {name}.")
    stock, money = market["stock"], market["money"]

    balance = exchange.post("/api/v4/trade-account/balance")
    print(f"Balance: {balance[stock]['available']} {stock}, {balance[money]['available']} {money}")

    book = exchange.get(f"/api/v4/public/orderbook/{name}?limit=1")
    if not book["bids"] or not book["asks"]:
        sys.exit(f"The book of {name} needs a bid and an ask; put orders there with examples/order.sh.")
    bid, ask = Decimal(book["bids"][0][0]), Decimal(book["asks"][0][0])
    print(f"Book of {name}: best bid {text(bid)}, best ask {text(ask)}")

    tick = Decimal(market["tickSize"])
    price = min(bid + tick, ask - tick)
    amount = smallest(market, price)
    order = exchange.post("/api/v4/order/new", market=name, side="buy", amount=text(amount), price=text(price), postOnly=True)
    number = order["orderId"]
    print(f"Placed order {number}: buy {text(amount)} {stock} at {text(price)} {money}")

    if number not in [o["orderId"] for o in exchange.post("/api/v4/orders", market=name)]:
        sys.exit(f"Order {number} is not open.")
    print(f"Order {number} is open")

    canceled = exchange.post("/api/v4/order/cancel", market=name, orderId=number)
    print(f"Canceled order {number}: {canceled['left']} {stock} left")


if __name__ == "__main__":
    main()
