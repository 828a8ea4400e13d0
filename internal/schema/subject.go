package schema

// Subject is what a command of operators is about, for the audit. Commands know numbers; who reads
// the audit wants the names of today.
type Subject struct {
	Account AccountID
	Asset   AssetID
	Market  MarketID
	Chain   ChainID
	Name    string // of what the command makes or changes
}

// Audited is a command that says what it is about. Every command that operators give does.
type Audited interface {
	Command
	Subject() Subject
}

// Redacted is a command that holds a secret. Redact removes it, sealed as it is, before the command
// is recorded or shown: no reader of records needs it.
type Redacted interface {
	Command
	Redact()
}

func (c *SetAccount) Subject() Subject      { return Subject{Name: c.Account.Name} }
func (c *SetKey) Subject() Subject          { return Subject{Account: c.Key.Account, Name: c.Key.Key} }
func (c *DeleteKey) Subject() Subject       { return Subject{Name: c.Key} }
func (c *SetFee) Subject() Subject          { return Subject{Account: c.Account, Market: c.Market} }
func (c *Deposit) Subject() Subject         { return Subject{Account: c.Account, Asset: c.Asset} }
func (c *ConfirmDeposit) Subject() Subject  { return Subject{Account: c.Account, Asset: c.Asset} }
func (c *Withdraw) Subject() Subject        { return Subject{Account: c.Account, Asset: c.Asset} }
func (c *Transfer) Subject() Subject        { return Subject{Account: c.Account, Asset: c.Asset} }
func (c *SetAsset) Subject() Subject        { return Subject{Name: c.Asset.Ticker} }
func (c *SetMarket) Subject() Subject       { return Subject{Name: c.Market.Name} }
func (c *PlanMaintenance) Subject() Subject { return Subject{Market: c.Market} }
func (c *PlanDelisting) Subject() Subject   { return Subject{Market: c.Market} }
func (c *SetIndex) Subject() Subject        { return Subject{Market: c.Market} }
func (c *SetFeature) Subject() Subject      { return Subject{Name: c.Feature.String()} }

// Redact removes the secret of the key.
func (c *SetKey) Redact()     { c.Key.Sealed = nil }
func (c *OpenKey) Redact()    { c.Sealed = nil }
func (c *ResetKey) Redact()   { c.Sealed = nil }
func (c *SetAccount) Redact() { c.Account.Email = "" }
func (c *SetSub) Redact()     { c.Email = "" }
