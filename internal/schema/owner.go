package schema

// Owned is a command that customers give: by a key, a session, or a connection that one of them authorized. Owner is the account that it acts
// on, or, of what masters do with their sub-accounts, the master who asks; it must be that of the key. Where family is true the account may also
// be a sub-account of it.
//
// Every command of customers says so: one that does not is done for nobody who comes by a key, but for a Tick, which is about nobody and uses up
// the nonce of a request that changes nothing.
type Owned interface {
	Command
	Owner() (account AccountID, family bool)
}

// Orders and positions.

func (c *PlaceOrder) Owner() (AccountID, bool)    { return c.Account, false }
func (c *PlaceBulk) Owner() (AccountID, bool)     { return c.Account, false }
func (c *PlaceOCO) Owner() (AccountID, bool)      { return c.Account, false }
func (c *PlaceTPSL) Owner() (AccountID, bool)     { return c.Account, false }
func (c *ModifyOrder) Owner() (AccountID, bool)   { return c.Account, false }
func (c *CancelOrder) Owner() (AccountID, bool)   { return c.Account, false }
func (c *CancelBulk) Owner() (AccountID, bool)    { return c.Account, false }
func (c *CancelAll) Owner() (AccountID, bool)     { return c.Account, false }
func (c *CancelGroup) Owner() (AccountID, bool)   { return c.Account, false }
func (c *SetKillSwitch) Owner() (AccountID, bool) { return c.Account, false }
func (c *ClosePosition) Owner() (AccountID, bool) { return c.Account, false }
func (c *SetLeverage) Owner() (AccountID, bool)   { return c.Account, false }
func (c *SetHedgeMode) Owner() (AccountID, bool)  { return c.Account, false }

// Money. Who pays by an express token is not who made it.

func (c *Transfer) Owner() (AccountID, bool)          { return c.Account, false }
func (c *TakeFaucet) Owner() (AccountID, bool)        { return c.Account, false }
func (c *PayFaucet) Owner() (AccountID, bool)         { return c.Account, false }
func (c *OpenAddress) Owner() (AccountID, bool)       { return c.Account, false }
func (c *RequestInvoice) Owner() (AccountID, bool)    { return c.Account, false }
func (c *SubmitTravel) Owner() (AccountID, bool)      { return c.Account, false }
func (c *RefundDeposit) Owner() (AccountID, bool)     { return c.Account, false }
func (c *RequestWithdrawal) Owner() (AccountID, bool) { return c.Account, false }
func (c *CheckAddress) Owner() (AccountID, bool)      { return c.Account, false }
func (c *CreateCode) Owner() (AccountID, bool)        { return c.Account, false }
func (c *ApplyCode) Owner() (AccountID, bool)         { return c.Account, false }
func (c *RequestExpress) Owner() (AccountID, bool)    { return c.Account, false }
func (c *PayExpress) Owner() (AccountID, bool)        { return c.Account, false }

// Conversions and investments.

func (c *QuoteConversion) Owner() (AccountID, bool)   { return c.Exchange.Account, false }
func (c *ConfirmConversion) Owner() (AccountID, bool) { return c.Account, false }
func (c *AutoConvert) Owner() (AccountID, bool)       { return c.Exchange.Account, false }
func (c *Invest) Owner() (AccountID, bool)            { return c.Account, false }
func (c *Divest) Owner() (AccountID, bool)            { return c.Account, false }
func (c *SetReinvest) Owner() (AccountID, bool)       { return c.Account, false }
func (c *OpenMining) Owner() (AccountID, bool)        { return c.Account, false }
func (c *SetMiningPayout) Owner() (AccountID, bool)   { return c.Account, false }
func (c *WatchMining) Owner() (AccountID, bool)       { return c.Account, false }

// What masters do with sub-accounts, and what is done with keys.

func (c *SetSub) Owner() (AccountID, bool)            { return c.Master, false }
func (c *DeleteSub) Owner() (AccountID, bool)         { return c.Master, false }
func (c *BlockSub) Owner() (AccountID, bool)          { return c.Master, false }
func (c *MoveSub) Owner() (AccountID, bool)           { return c.Master, false }
func (c *ConfirmWithdrawal) Owner() (AccountID, bool) { return c.Master, false }
func (c *OpenKey) Owner() (AccountID, bool)           { return c.By, false }
func (c *EditKey) Owner() (AccountID, bool)           { return c.By, false }
func (c *SetKeyAddress) Owner() (AccountID, bool)     { return c.By, false }
func (c *CloseKey) Owner() (AccountID, bool)          { return c.By, false }
func (c *ResetKey) Owner() (AccountID, bool)          { return c.By, false }

// Sessions, webhooks, and the programs of others.

func (c *SignOut) Owner() (AccountID, bool)          { return c.Account, false }
func (c *AuthorizePartner) Owner() (AccountID, bool) { return c.Account, false }
func (c *RevokePartner) Owner() (AccountID, bool)    { return c.Account, true }
func (c *Invite) Owner() (AccountID, bool)           { return c.Account, true }
func (c *SetWebhook) Owner() (AccountID, bool)       { return c.Account, true }
func (c *VerifyWebhook) Owner() (AccountID, bool)    { return c.Account, true }
