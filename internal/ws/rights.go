package ws

import (
	"maps"
	"net/netip"

	"bourse/internal/api"
	"bourse/internal/directory"
	"bourse/internal/schema"
)

// rights is the path of REST whose right each private method needs, and likewise authorize and what
// may be asked for with it: a token gives no right that its key has not. Where several methods belong
// to a channel they need the same one, pushes too. Paths of products that are not built yet are
// rights of keys that may call everything, and of no others.
var rights = func() map[string]string {
	all := map[string]string{
		"authorize":            "/api/v4/profile/websocket_token",
		"cancel_on_disconnect": "/api/v4/order/cancel/all",

		"order_limit_place":             "/api/v4/order/new",
		"order_bbo_place":               "/api/v4/order/new",
		"order_market_place":            "/api/v4/order/market",
		"order_market_stock_place":      "/api/v4/order/stock_market",
		"order_stop_limit_place":        "/api/v4/order/stop_limit",
		"order_stop_bbo_place":          "/api/v4/order/stop_limit",
		"order_stop_market_place":       "/api/v4/order/stop_market",
		"order_stop_market_stock_place": "/api/v4/order/stop_market",
		"order_modify":                  "/api/v4/order/modify",
		"order_cancel":                  "/api/v4/order/cancel",
		"order_cancel_all":              "/api/v4/order/cancel/all",
		"order_cancel_conditional":      "/api/v4/order/conditional-cancel",

		"collateral_order_limit_place":       "/api/v4/order/collateral/limit",
		"collateral_order_bbo_place":         "/api/v4/order/collateral/limit",
		"collateral_order_oto_place":         "/api/v4/order/collateral/limit",
		"collateral_order_tpsl_place":        "/api/v4/order/collateral/limit",
		"collateral_order_market_place":      "/api/v4/order/collateral/market",
		"collateral_order_stop_limit_place":  "/api/v4/order/collateral/stop-limit",
		"collateral_order_stop_bbo_place":    "/api/v4/order/collateral/stop-limit",
		"collateral_order_stop_market_place": "/api/v4/order/collateral/trigger-market",
		"collateral_order_oco_place":         "/api/v4/order/collateral/oco",

		"balanceSpot_request":    "/api/v4/trade-account/balance",
		"balanceMargin_request":  "/api/v4/collateral-account/balance",
		"ordersPending_request":  "/api/v4/orders",
		"ordersExecuted_request": "/api/v4/trade-account/order/history",
		"deals_request":          "/api/v4/trade-account/executed-history",
	}
	for channel, path := range map[string]string{
		"balanceSpot":            all["balanceSpot_request"],
		"balanceMargin":          all["balanceMargin_request"],
		"ordersPending":          all["ordersPending_request"],
		"ordersExecuted":         all["ordersExecuted_request"],
		"deals":                  all["deals_request"],
		"positionsMargin":        "/api/v4/collateral-account/positions/open",
		"positionsAccountMargin": "/api/v4/collateral-account/positions/open",
		"borrowsMargin":          "/api/v4/collateral-account/borrow-history",
		"borrowsAccountMargin":   "/api/v4/collateral-account/borrow-history",
		"ADLQuantile":            "/api/v4/collateral-account/adl-quantile",
	} {
		all[channel+"_subscribe"], all[channel+"_unsubscribe"] = path, path
	}
	return all
}()

// Rights is the path of REST whose right each private method needs.
func Rights() map[string]string { return maps.Clone(rights) }

// may is the account for which the connection may do now what needs the right to a path, nil if it
// may not: it was not authorized, its key lacks the right or is bound to other addresses, or the key
// or the account lost its rights.
func (c *conn) may(path string) *schema.Account {
	c.mu.Lock()
	h := c.holder
	c.mu.Unlock()
	if h == nil {
		return nil
	}
	return c.server.options.API.Holder(h.SocketToken, c.address, path)
}

// holds reports whether a token gives the right that something needs, at an address.
func (s *Server) holds(t api.SocketToken, from netip.Addr, name string) bool {
	return s.options.API.Holder(t, from, rights[name]) != nil
}

// reviewer is a channel that ends what a connection may no longer listen to, when its holder changed.
type reviewer interface{ review(*conn) }

// lostBy says which connections have not the right to something after a key was changed.
func lostBy(e *schema.KeyChanged) func(c *conn, right string) bool {
	after := directory.RightsOf(&e.Key)
	return func(c *conn, right string) bool {
		c.mu.Lock()
		uses := c.holder != nil && c.holder.Key == e.Key.ID
		c.mu.Unlock()
		return uses && (e.Deleted || !e.Key.Enabled || !after.From(c.address) || !after.May(right))
	}
}
