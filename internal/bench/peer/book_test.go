package peer

import (
	"slices"
	"testing"
)

func gtc(id int64, bid bool, price, size int64) Command {
	return Command{Kind: Place, Type: GTC, Order: id, Bid: bid, Price: price, Size: size}
}

func TestBook(t *testing.T) {
	asks := []Command{gtc(1, false, 101, 5), gtc(2, false, 100, 4), gtc(3, false, 100, 3)}
	bids := []Command{gtc(1, true, 99, 5), gtc(2, true, 100, 4), gtc(3, true, 100, 3)}
	for _, tt := range []struct {
		name     string
		before   []Command
		command  Command
		fills    []fill
		rejected int64
		asks     Side
		bids     Side
	}{
		{
			name:    "a bid takes the best price first and the oldest order first",
			before:  asks,
			command: gtc(9, true, 101, 8),
			fills:   []fill{{2, 100, 4, true}, {3, 100, 3, true}, {1, 101, 1, false}},
			asks:    Side{1, 1, 4, 101},
		},
		{
			name:    "an ask takes the highest bids and rests what is left",
			before:  bids,
			command: gtc(9, false, 100, 9),
			fills:   []fill{{2, 100, 4, true}, {3, 100, 3, true}},
			asks:    Side{1, 1, 2, 100},
			bids:    Side{1, 1, 5, 99},
		},
		{
			name:     "IOC drops what its price does not reach",
			before:   asks,
			command:  Command{Kind: Place, Type: IOC, Order: 9, Bid: true, Price: 100, Size: 9},
			fills:    []fill{{2, 100, 4, true}, {3, 100, 3, true}},
			rejected: 2,
			asks:     Side{1, 1, 5, 101},
		},
		{
			name:    "a budget bid may spend its whole budget",
			before:  asks,
			command: Command{Kind: Place, Type: Budget, Order: 9, Bid: true, Price: 801, Size: 8},
			fills:   []fill{{2, 100, 4, true}, {3, 100, 3, true}, {1, 101, 1, false}},
			asks:    Side{1, 1, 4, 101},
		},
		{
			name:     "a budget bid that costs more does nothing",
			before:   asks,
			command:  Command{Kind: Place, Type: Budget, Order: 9, Bid: true, Price: 800, Size: 8},
			rejected: 8,
			asks:     Side{3, 2, 12, 100},
		},
		{
			name:     "a budget bid for more than there is does nothing",
			before:   asks,
			command:  Command{Kind: Place, Type: Budget, Order: 9, Bid: true, Price: 1e6, Size: 13},
			rejected: 13,
			asks:     Side{3, 2, 12, 100},
		},
		{
			name:    "a budget ask may earn exactly its budget",
			before:  bids,
			command: Command{Kind: Place, Type: Budget, Order: 9, Price: 799, Size: 8},
			fills:   []fill{{2, 100, 4, true}, {3, 100, 3, true}, {1, 99, 1, false}},
			bids:    Side{1, 1, 4, 99},
		},
		{
			name:     "a budget ask that earns less does nothing",
			before:   bids,
			command:  Command{Kind: Place, Type: Budget, Order: 9, Price: 800, Size: 8},
			rejected: 8,
			bids:     Side{3, 2, 12, 100},
		},
		{
			name:    "a cancelled order leaves with its level",
			before:  asks,
			command: Command{Kind: Cancel, Order: 1},
			asks:    Side{2, 1, 7, 100},
		},
		{
			name:    "a moved order goes behind the others, even at the same price",
			before:  append(slices.Clone(asks), Command{Kind: Move, Order: 2, Price: 100}),
			command: gtc(9, true, 100, 3),
			fills:   []fill{{3, 100, 3, true}},
			asks:    Side{2, 2, 9, 100},
		},
		{
			name:    "a moved order trades when it crosses",
			before:  append(slices.Clone(asks), gtc(4, true, 90, 6)),
			command: Command{Kind: Move, Order: 4, Price: 100},
			fills:   []fill{{2, 100, 4, true}, {3, 100, 2, false}},
			asks:    Side{2, 2, 6, 100},
		},
		{
			name:    "a reduced order keeps its place",
			before:  append(slices.Clone(asks), Command{Kind: Reduce, Order: 2, Size: 1}),
			command: gtc(9, true, 100, 3),
			fills:   []fill{{2, 100, 3, true}},
			asks:    Side{2, 2, 8, 100},
		},
		{
			name:    "an order reduced by more than it has leaves",
			before:  asks,
			command: Command{Kind: Reduce, Order: 1, Size: 6},
			asks:    Side{2, 1, 7, 100},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBook()
			for _, c := range tt.before {
				b.apply(c)
			}
			fills, rejected := b.apply(tt.command)
			if !slices.Equal(fills, tt.fills) {
				t.Errorf("fills %v, want %v", fills, tt.fills)
			}
			if rejected != tt.rejected {
				t.Errorf("rejected %d, want %d", rejected, tt.rejected)
			}
			if got := summary(b.asks); got != tt.asks {
				t.Errorf("asks %+v, want %+v", got, tt.asks)
			}
			if got := summary(b.bids); got != tt.bids {
				t.Errorf("bids %+v, want %+v", got, tt.bids)
			}
		})
	}
}
