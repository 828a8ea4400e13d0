package operator

import (
	"errors"
	"time"

	"bourse/internal/core"
	"bourse/internal/core/price"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// asset is the asset in the path.
func (s *Server) asset(c *call) (found schema.Asset, err error) {
	ticker := c.PathValue("asset")
	s.look(func(m core.View) {
		if a := m.Listing().AssetByTicker(ticker); a != nil {
			found = *a
		}
	})
	if found.ID == 0 {
		return found, missing("asset", ticker)
	}
	return found, nil
}

func (s *Server) listAssets(*call) (any, error) {
	list := []sheet.Asset{}
	s.look(func(m core.View) {
		for _, a := range m.Listing().Assets() {
			list = append(list, sheet.AssetOf(a, m.Chains()))
		}
	})
	return list, nil
}

func (s *Server) showAsset(c *call) (any, error) { return s.assetSheet(c) }

// assetSheet is the settings of the asset in the path.
func (s *Server) assetSheet(c *call) (settings sheet.Asset, err error) {
	a, err := s.asset(c)
	if err != nil {
		return settings, err
	}
	s.look(func(m core.View) { settings = sheet.AssetOf(&a, m.Chains()) })
	return settings, nil
}

// listAsset lists an asset, or replaces all settings of one.
func (s *Server) listAsset(c *call) (any, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	settings := sheet.Asset{Ticker: c.PathValue("asset")}
	if _, err := s.asset(c); err == nil && c.onlyNew() {
		return nil, exists("asset", settings.Ticker)
	}
	return s.readAsset(c, &settings)
}

func (s *Server) changeAsset(c *call) (any, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	settings, err := s.assetSheet(c)
	if err != nil {
		return nil, err
	}
	return s.readAsset(c, &settings)
}

func (s *Server) readAsset(c *call, settings *sheet.Asset) (any, error) {
	// JSON is read over what is there, in lists too, by place: a network that is given must not get
	// settings of the one that stood there.
	networks := settings.Networks
	settings.Networks = nil
	if err := c.read(settings); err != nil {
		return nil, err
	}
	if settings.Networks == nil {
		settings.Networks = networks
	}
	if settings.Ticker != c.PathValue("asset") {
		return nil, &Error{Status: 422, Field: "ticker", Message: "the ticker in the path is another one"}
	}
	return s.setAsset(c, settings)
}

func (s *Server) setAsset(c *call, settings *sheet.Asset) (any, error) {
	var command *schema.SetAsset
	var err error
	s.look(func(m core.View) { command, err = settings.Command(m.Chains()) })
	if err != nil {
		return nil, invalid(err)
	}
	if _, err := s.do(c, command); err != nil {
		return nil, err
	}
	return s.showAsset(c)
}

// market is a market as operators see it: its settings, and what goes on there.
type market struct {
	sheet.Market
	DelistsAt       *time.Time    `json:"delists_at"`
	Delisted        bool          `json:"delisted"`
	MaintenanceFrom *time.Time    `json:"maintenance_from"`
	MaintenanceTo   *time.Time    `json:"maintenance_to"`
	InMaintenance   bool          `json:"in_maintenance"`
	LastPrice       sheet.Number  `json:"last_price"`
	Index           *sheet.Number `json:"index"`
	IndexAt         *time.Time    `json:"index_at"`
	OpenOrders      int           `json:"open_orders"`
	// Of a future: what positions are valued by, and what its funding is to be and when.
	Mark        *sheet.Number `json:"mark,omitempty"`
	MarkFresh   *bool         `json:"mark_fresh,omitempty"`
	FundingRate *sheet.Number `json:"funding_rate,omitempty"`
	FundingAt   *time.Time    `json:"funding_at,omitempty"`
}

func marketOf(m core.View, info *schema.MarketInfo) market {
	record := m.Trading().Market(info.ID)
	now := market{
		Market: sheet.MarketOf(info), DelistsAt: when(info.DelistsAt), Delisted: info.Delisted,
		MaintenanceFrom: when(info.MaintenanceFrom), MaintenanceTo: when(info.MaintenanceTo), InMaintenance: info.InMaintenance,
		LastPrice: sheet.Number{Decimal: record.Last}, OpenOrders: m.Trading().Count(info.ID),
	}
	if record.Index.At != 0 {
		now.Index, now.IndexAt = &sheet.Number{Decimal: record.Index.Price}, when(record.Index.At)
	}
	if f, is := m.Prices().Future(info.ID); is {
		now.Mark, now.MarkFresh, now.FundingRate, now.FundingAt = &sheet.Number{Decimal: f.Mark}, &f.Fresh, &sheet.Number{Decimal: f.Rate}, when(f.Settles)
	}
	return now
}

// when is a moment that may be none.
func when(t schema.Time) *time.Time {
	if t == 0 {
		return nil
	}
	m := moment(t)
	return &m
}

// market is the market in the path.
func (s *Server) market(c *call) (found schema.MarketInfo, err error) {
	name := c.PathValue("market")
	s.look(func(m core.View) {
		if info := m.Listing().MarketByName(name); info != nil {
			found = *info
		}
	})
	if found.ID == 0 {
		return found, missing("market", name)
	}
	return found, nil
}

func (s *Server) listMarkets(*call) (any, error) {
	list := []market{}
	s.look(func(m core.View) {
		for _, info := range m.Listing().Markets() {
			list = append(list, marketOf(m, info))
		}
	})
	return list, nil
}

func (s *Server) showMarket(c *call) (any, error) {
	info, err := s.market(c)
	if err != nil {
		return nil, err
	}
	var now market
	s.look(func(m core.View) { now = marketOf(m, m.Listing().Market(info.ID)) })
	return now, nil
}

// listMarket lists a market, or replaces all settings of one.
func (s *Server) listMarket(c *call) (any, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	settings := sheet.Market{Name: c.PathValue("market"), Type: schema.Spot.String()}
	if _, err := s.market(c); err == nil && c.onlyNew() {
		return nil, exists("market", settings.Name)
	}
	return s.setMarket(c, &settings)
}

func (s *Server) changeMarket(c *call) (any, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	info, err := s.market(c)
	if err != nil {
		return nil, err
	}
	settings := sheet.MarketOf(&info)
	return s.setMarket(c, &settings)
}

func (s *Server) setMarket(c *call, settings *sheet.Market) (any, error) {
	if err := c.read(settings); err != nil {
		return nil, err
	}
	if settings.Name != c.PathValue("market") {
		return nil, &Error{Status: 422, Field: "name", Message: "the name in the path is another one"}
	}
	var command *schema.SetMarket
	var err error
	s.look(func(m core.View) { command, err = settings.Command(m.Listing()) })
	if err != nil {
		return nil, invalid(err)
	}
	return s.onMarket(c, command)
}

// onMarket does something to the market in the path and shows it.
func (s *Server) onMarket(c *call, command schema.Command) (any, error) {
	if _, err := s.do(c, command); err != nil {
		return nil, err
	}
	return s.showMarket(c)
}

// maintenance, delisting and indexPrice are what the acts on plans and prices ask for; moments are in
// Unix seconds.
type (
	maintenance struct {
		From int64 `json:"from"`
		To   int64 `json:"to"`
	}
	delisting struct {
		At int64 `json:"at"`
	}
	indexPrice struct {
		Price  sheet.Number `json:"price"`
		Source uint8        `json:"source"`
	}
)

// planMaintenance closes the market between two moments.
func (s *Server) planMaintenance(c *call) (any, error) {
	info, err := s.market(c)
	if err != nil {
		return nil, err
	}
	var plan maintenance
	if err := c.read(&plan); err != nil {
		return nil, err
	}
	if plan.From <= 0 || plan.To <= plan.From {
		return nil, &Error{Status: 422, Field: "from", Message: "a maintenance needs 'from' and a later 'to', both in Unix seconds"}
	}
	return s.onMarket(c, &schema.PlanMaintenance{Market: info.ID, From: seconds(plan.From), To: seconds(plan.To)})
}

func (s *Server) endMaintenance(c *call) (any, error) {
	info, err := s.market(c)
	if err != nil {
		return nil, err
	}
	return s.onMarket(c, &schema.PlanMaintenance{Market: info.ID})
}

// planDelisting ends the market for good at a moment.
func (s *Server) planDelisting(c *call) (any, error) {
	info, err := s.market(c)
	if err != nil {
		return nil, err
	}
	var plan delisting
	if err := c.read(&plan); err != nil {
		return nil, err
	}
	if plan.At <= 0 {
		return nil, &Error{Status: 422, Field: "at", Message: "a delisting needs 'at', in Unix seconds"}
	}
	now, err := s.onMarket(c, &schema.PlanDelisting{Market: info.ID, At: seconds(plan.At)})
	var e *Error
	if errors.As(err, &e) && e.Field == "from" { // what the core calls the time of any plan
		e.Field = "at"
	}
	return now, err
}

func (s *Server) cancelDelisting(c *call) (any, error) {
	info, err := s.market(c)
	if err != nil {
		return nil, err
	}
	return s.onMarket(c, &schema.PlanDelisting{Market: info.ID})
}

// seconds is a moment in Unix seconds; what is beyond all times is the last of them.
func seconds(s int64) schema.Time { return schema.Time(min(s, sheet.LastSecond)) * schema.Second }

func (s *Server) setIndex(c *call) (any, error) {
	info, err := s.market(c)
	if err != nil {
		return nil, err
	}
	var given indexPrice
	if err := c.read(&given); err != nil {
		return nil, err
	}
	if given.Price.Sign() <= 0 {
		return nil, &Error{Status: 422, Field: "price", Message: "an index price is greater than 0; DELETE withdraws it"}
	}
	return s.onMarket(c, &schema.SetIndex{Market: info.ID, Price: given.Price.Decimal, Source: given.Source})
}

func (s *Server) clearIndex(c *call) (any, error) {
	info, err := s.market(c)
	if err != nil {
		return nil, err
	}
	source, err := c.number("source", 0, 0, price.Sources-1)
	if err != nil {
		return nil, err
	}
	return s.onMarket(c, &schema.SetIndex{Market: info.ID, Source: uint8(source)})
}
