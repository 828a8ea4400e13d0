package naive

// currency is an asset as the rules of margin see it.
type currency struct {
	id     int
	usdt   bool // everything is valued in it: its price is 1 and never moves
	scale  uint8
	index  num // its price in USDT
	stale  bool
	weight num // the part of what one owns that counts as equity
}

// price is its price in USDT.
func (c *currency) price() num {
	if c.usdt {
		return one
	}
	return c.index
}

// instrument is a market as the rules of margin see it: a future, or a spot pair.
type instrument struct {
	id          int
	future      bool
	base        *currency // of a pair
	quote       *currency // what prices are in; a future settles in USDT whatever that is
	mark        num       // of a future, in its quote
	staleMark   bool
	scale       uint8 // of the asset that it settles in
	feePrec     uint8
	moneyPrec   uint8
	tick        num
	step        num
	minAmount   num
	maxLeverage int64
	brackets    []bracket
}

// price is what one of the base is worth in USDT.
func (i *instrument) price() num {
	if i.future {
		return i.at(i.mark)
	}
	return i.base.price()
}

// at is a price of the market in USDT. One in another currency has more decimals than a price can have, which are cut off; that of a
// future stays at the end of what can be counted.
func (i *instrument) at(price num) num {
	if i.future {
		return least(inUSDT(price, i.quote), largest)
	}
	return inUSDT(price, i.quote)
}

// fair is the price around which the market is valued, in its quote: the mark, or what the indices say, cut off.
func (i *instrument) fair() num {
	if i.future {
		return i.mark
	}
	return i.base.price().over(i.quote.price()).truncate(smallest)
}

// stale reports whether a price that positions on the market are valued at is stale.
func (i *instrument) stale() bool {
	if i.future {
		return i.staleMark || i.quote.stale
	}
	return i.base.stale || i.quote.stale
}

// leverage is the one that an account has on the market.
func (i *instrument) leverage(account int64) int64 {
	if !i.future {
		account = min(account, 10)
	}
	return min(account, i.maxLeverage)
}

// value is what a deal moves, in the asset that the market settles in. The value of a future whose prices
// are not in USDT is cut once, for both sides.
func (i *instrument) value(size, price num) num {
	if i.future {
		price = price.times(i.quote.price())
	}
	return size.abs().times(price).truncate(unit(i.scale))
}
