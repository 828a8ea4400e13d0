package trading

import "bourse/internal/schema"

// Compared is how many comparisons it takes to pass over the newest open orders of an account.
func (e *Engine) Compared(account schema.AccountID, orders int) int {
	m := e.merge(account, 0)
	for range orders {
		m.next()
	}
	return m.compared
}
