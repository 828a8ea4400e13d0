package naive

import (
	"cmp"
	"slices"

	"bourse/internal/schema"
)

// Bounds of chains and addresses.
const (
	chainsMost       = 100
	addressesMost    = 1000 // of an account, a space and a type
	indexMost        = 1<<31 - 1
	shortestInterval = 100_000 * schema.Microsecond
	longestInterval  = 24 * 60 * minute
	rememberedBlocks = 100 // at least
	usualDepth       = 6   // where no network says how many blocks confirm a deposit, and the least that a lost one is waited for
)

// chains is the chains by which deposits come and withdrawals go, the addresses at which they arrive, the deposits and the
// withdrawals. Each of these are in one list, those that nobody may ask for any more too, and everything that is a sum or a place in an order is found by looking through it.
type chains struct {
	call     *call
	features *features
	ledger   *ledger
	listing  *listing
	accounts *accounts
	trading  *trading
	wallet   *wallet // knows what may leave an account
	limits   *limits // so do these
	steps    *int    // that a command may do

	all         []*chain         // by id, from 1
	keys        []schema.Keys    // one of a family and a net, and one of its cold storage
	wanted      map[want]num     // what should come back from cold storage
	addresses   []schema.Address // in the order in which they were opened
	deposits    []*chainDeposit  // that came by blocks, by number
	lastDeposit schema.DepositID // with those that came from other accounts
	withdrawals []*withdrawal    // by number, from 1
	payouts     []*payout        // so are these, on all chains
	spends      []*spend         // that no plan made, in blocks of all chains, as they came there
	invoices    []*invoice       // by number, with those of deposits
	recent      []recentExit     // what left without the approval that more would have needed, the first first
	hourly      []hourlyExit     // what left without approval where an hour is bounded
	turns       int              // how often a deposit or a withdrawal came into a block or left one, or was queued
	debtors     []owing          // of whom money is collected, the first first
	vasps       []schema.VASP    // that operators know, by id
	budget      int              // steps that the command may still do
}

// chain is a chain and where it stands.
type chain struct {
	schema.Chain
	points     []point            // the last blocks; the last of them is where it stands; none before the first block
	incomplete *schema.ChainBlock // the last part that came of a block whose other parts are missing
	busy       bool               // a step was left when the budget was spent
	halted     bool
	word       *word             // of the first operator who would let it go on, while it is halted
	claim      *claim            // of the first operator who speaks of what the log does not know
	adopted    []string          // transactions that no plan made, whose blocks are taken
	worked     schema.Time       // when a command last worked on it
	tip        uint64            // the height that it had before it was last rewound, with the incomplete block
	left       map[string]uint64 // the height to which it was rewound when a coin left its block
	sandbox
}

// point is a block.
type point struct {
	height uint64
	hash   schema.Digest
}

// chainDeposit is a deposit with what nobody is shown of it.
type chainDeposit struct {
	schema.ChainDeposit
	own      schema.OwnAddress // of the exchange itself that it was paid to
	seat     int               // the turn at which it came into its block; 0: it is in none, or so deep that it stays
	line     int               // the turn at which it left its block, while it is waited for
	deadline num               // the height at which it is lost, while it is waited for
	tradable bool              // since it came into its block, it was looked at for trading
	full     bool              // so it was with all confirmations

	wasUnseated bool
	returning   bool        // another one with its id was lost before
	posted      bool        // Suspense has it
	carried     num         // what House gave for it
	refund      *withdrawal // that gives it back and is not canceled, or nil
	travel      []byte      // who sent it, sealed, while operators look at it
	handedOn    bool        // its id belongs to another one
	forgotten   bool        // nobody can ask for it any more
}

// asksFor reports whether a customer whose keys are judged asks for something.
func (s *chains) asksFor() bool { return s.features.judgedKeys && s.call.key != 0 }

func (s *chains) apply(cmd schema.Command) *schema.Result {
	s.budget = *s.steps
	var result schema.Result
	switch c := cmd.(type) {
	case *schema.SetChain:
		result = s.set(c.Chain)
	case *schema.OpenAddress:
		result = s.openAddress(c)
	case *schema.ChainBlock:
		result = reject(s.block(c))
	case *schema.ChainRewind:
		result = reject(s.rewind(c))
	case *schema.DecideDeposit:
		result = reject(s.decide(c))
	case *schema.ForgiveOwed:
		result = reject(s.forgive(c))
	case *schema.MineSandbox:
		result = reject(s.mineSandbox(c))
	case *schema.ReorgSandbox:
		result = reject(s.reorgSandbox(c))
	case *schema.PaySandbox:
		result = s.paySandbox(c)
	case *schema.RequestWithdrawal:
		result = s.request(c)
	case *schema.ConfirmWithdrawal:
		result = s.confirmWithdrawal(c)
	case *schema.DecideWithdrawal:
		result = reject(s.judge(c))
	case *schema.RefundDeposit:
		result = s.giveBack(c)
	case *schema.SetKeys:
		result = reject(s.setKeys(c.Keys))
	case *schema.PlanPayout:
		result = s.plan(c)
	case *schema.SignPayout:
		result = reject(s.sign(c))
	case *schema.AbandonPayout:
		result = reject(s.abandon(c))
	case *schema.RefillHot:
		result = reject(s.refill(c))
	case *schema.ResumeChain:
		result = reject(s.resume(c))
	case *schema.AdoptSpend:
		result = reject(s.adopt(c))
	case *schema.BookSurplus:
		result = s.bookSurplus(c)
	case *schema.RequestInvoice:
		result = s.requestInvoice(c)
	case *schema.SettleInvoice:
		result = reject(s.settleInvoice(c))
	case *schema.SettleWithdrawal:
		result = reject(s.settleWithdrawal(c))
	case *schema.SetVASP:
		result = reject(s.setVASP(c.VASP))
	case *schema.SubmitTravel:
		result = s.submit(c)
	default:
		return nil
	}
	return &result
}

// runDue goes on with what was left, lets sandboxes make blocks, and collects what one account owes.
func (s *chains) runDue() {
	s.budget = *s.steps
	for _, c := range s.all {
		if c.busy {
			s.work(c)
		}
		if c.Driver == schema.Sandbox {
			s.mineInTime(c)
			s.mine(c)
			s.arm(c)
		}
	}
	s.expire()
	s.collect()
	s.forgetExits()
	s.dropUnconfirmed()
}

// due is when something is to be done.
func (s *chains) due() (due []schema.Time) {
	for _, c := range s.all {
		if c.busy || c.toMine > 0 && !c.Paused {
			due = append(due, c.worked)
		}
		if c.next != 0 {
			due = append(due, c.next)
		}
	}
	for _, v := range s.invoices {
		if v.Status == schema.InvoiceOpen {
			due = append(due, v.Expires)
		}
	}
	if len(s.debtors) > 0 {
		due = append(due, s.debtors[0].since)
	}
	if len(s.recent) > 0 {
		due = append(due, s.recent[0].at+exitsCount)
	}
	for _, w := range s.unconfirmed() {
		due = append(due, w.Created+confirmedWithin)
	}
	return due
}

// chain finds a chain, or nil.
func (s *chains) chain(id schema.ChainID) *chain {
	for _, c := range s.all {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// named finds a chain by its name, or nil.
func (s *chains) named(name string) *chain {
	for _, c := range s.all {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// checkChain looks at settings of a chain, and finds the one that they change.
func (s *chains) checkChain(set schema.Chain) (known *chain, r schema.Rejection) {
	known = s.named(set.Name)
	isSandbox, isProvider := set.Driver == schema.Sandbox, set.Driver == schema.Provider
	isForeign := set.Driver == schema.BitcoinNode || set.Driver == schema.EVMNode
	switch {
	case !validTicker(set.Name), !validDriver(set.Driver),
		!isProvider && (!validFamily(set.Family) || !validNet(set.Net)),
		isProvider && (set.Family != 0 || set.Net != 0),
		(set.Driver == schema.EVMNode) != (set.Number != 0),
		!isForeign && set.FeeRateMax != 0,
		set.Driver == schema.BitcoinNode && set.Family != schema.Bitcoin,
		set.Driver == schema.EVMNode && set.Family != schema.EVM,
		set.Interval != 0 && (!isSandbox || set.Interval < shortestInterval || set.Interval > longestInterval),
		set.Stuck && !isSandbox,
		known == nil && len(s.all) == chainsMost:
		return nil, because(schema.ChainInvalid)
	case known != nil && (known.Driver != set.Driver || known.Family != set.Family || known.Net != set.Net || known.Number != set.Number):
		return nil, because(schema.ImmutableChanged)
	}
	return known, accepted
}

func (s *chains) set(set schema.Chain) schema.Result {
	known, r := s.checkChain(set)
	if refused(r) {
		return reject(r)
	}
	if known == nil {
		known = &chain{Chain: schema.Chain{ID: schema.ChainID(len(s.all) + 1)}, left: map[string]uint64{}}
		if set.Driver == schema.Sandbox {
			known.points = []point{{}}
		}
		s.all = append(s.all, known)
	}
	set.ID = known.ID
	known.Chain = set
	s.call.record(&schema.ChainChanged{Chain: set})
	known.next = 0
	s.arm(known)
	return schema.Result{ID: uint64(set.ID)}
}

func (s *chains) openAddress(c *schema.OpenAddress) schema.Result {
	account, r := s.accounts.trader(c.Account)
	switch {
	case refused(r):
		return reject(r)
	case account.Parent != 0 && !account.Deposits:
		return refuse(schema.SubNotPermitted)
	case c.Fresh && !account.NewAddresses && s.asksFor():
		return refuse(schema.NoPermission)
	}
	if c.Asset != 0 {
		switch asset := s.listing.asset(c.Asset); {
		case asset == nil:
			return refuse(schema.AssetUnknown)
		case s.accounts.barsAsset(account, asset):
			return refuse(schema.AssetNotOffered)
		}
	}
	on := s.chain(c.Chain)
	if on == nil {
		return refuse(schema.ChainUnknown)
	}
	kind := c.Type
	if on.Family == schema.Bitcoin && kind == 0 {
		kind = schema.Bech32
	}
	if on.Driver == schema.Provider || on.Family == schema.Bitcoin && kind != schema.Bech32 && kind != schema.P2SHSegwit || on.Family != schema.Bitcoin && kind != 0 {
		return refuse(schema.AddressTypeInvalid)
	}
	var has []schema.Address
	for _, a := range s.addresses {
		if a.Account == c.Account && a.Family == on.Family && a.Net == on.Net && a.Type == kind {
			has = append(has, a)
		}
	}
	if len(has) > 0 && !c.Fresh {
		return schema.Result{Address: &has[0]}
	}
	last := s.lastIndex(on)
	if len(has) >= addressesMost || last >= indexMost {
		return refuse(schema.AddressesTooMany)
	}
	made := schema.Address{Family: on.Family, Net: on.Net, Index: last + 1, Type: kind, Account: c.Account}
	s.addresses = append(s.addresses, made)
	s.call.record(&schema.AddressOpened{Address: made})
	return schema.Result{Address: &made}
}

// lastIndex is the highest number of an address that a chain knows; it shares them with others.
func (s *chains) lastIndex(c *chain) (last schema.AddressIndex) {
	for _, a := range s.addresses {
		if a.Family == c.Family && a.Net == c.Net {
			last = max(last, a.Index)
		}
	}
	return last
}

// owner is whose an address of a chain is; 0: nobody's, or that of a sub-account that ended.
func (s *chains) owner(c *chain, index schema.AddressIndex) schema.AccountID {
	for _, a := range s.addresses {
		if _, r := s.accounts.living(a.Account); a.Family == c.Family && a.Net == c.Net && a.Index == index && !refused(r) {
			return a.Account
		}
	}
	return 0
}

// network is that of an asset on a chain, or nil.
func (s *chains) network(c schema.ChainID, asset schema.AssetID) *schema.Network {
	networks := s.listing.asset(asset).Networks
	for i := range networks {
		if networks[i].Chain == c {
			return &networks[i]
		}
	}
	return nil
}

// depths are how deep deposits of an asset must be to be traded, and to be the account's.
func (s *chains) depths(c *chain, asset schema.AssetID) (trading, full uint64) {
	if n := s.network(c.ID, asset); n != nil {
		return uint64(n.ConfirmationsForTrading), uint64(n.Confirmations)
	}
	return usualDepth, usualDepth
}

// remembered is how many blocks below the one where a chain stands are known.
func (s *chains) remembered(c *chain) uint64 {
	most := uint64(rememberedBlocks)
	for _, asset := range s.listing.assets {
		for _, n := range asset.Networks {
			if n.Chain == c.ID {
				most = max(most, 2*uint64(n.Confirmations))
			}
		}
	}
	return most
}

// height is where a chain stands; 0 before the first block.
func (c *chain) height() uint64 {
	if len(c.points) == 0 {
		return 0
	}
	return c.points[len(c.points)-1].height
}

// moved records where a chain stands.
func (s *chains) moved(c *chain) {
	at := point{}
	if len(c.points) > 0 {
		at = c.points[len(c.points)-1]
	}
	s.call.record(&schema.ChainMoved{Chain: c.ID, Height: at.height, Hash: at.hash, Halted: c.halted})
}

// changed records a deposit as it is now.
func (s *chains) changed(d *chainDeposit) {
	e := &schema.ChainDepositChanged{Deposit: d.ChainDeposit}
	s.call.record(e)
	s.call.unsaid[e] = d.carried.sign() > 0 // the account had its money before
}

// chosen are the deposits of an asset by a chain that are meant, by one of their turns.
func (s *chains) chosen(c *chain, asset schema.AssetID, turn func(*chainDeposit) int) (list []*chainDeposit) {
	for _, d := range s.deposits {
		if d.Chain == c.ID && d.Asset == asset && turn(d) != 0 {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b *chainDeposit) int { return cmp.Compare(turn(a), turn(b)) })
	return list
}

// lane is the deposits of an asset in blocks of a chain that may still be rewound, as they came there.
func (s *chains) lane(c *chain, asset schema.AssetID) []*chainDeposit {
	return s.chosen(c, asset, func(d *chainDeposit) int { return d.seat })
}

// missing is the deposits of an asset that are waited for since their blocks were rewound, as they left them.
func (s *chains) missing(c *chain, asset schema.AssetID) []*chainDeposit {
	return s.chosen(c, asset, func(d *chainDeposit) int { return d.line })
}

// coins is what of an asset came by blocks of a chain, or by a provider, and did not go by one.
func (s *chains) coins(c *chain, asset schema.AssetID) num {
	sum := num{}
	for _, d := range s.deposits {
		if d.Chain == c.ID && d.Asset == asset && d.Height != 0 {
			sum = sum.plus(of(d.Amount))
		}
	}
	if c.foreign() {
		for _, p := range s.payouts {
			if p.Chain == c.ID {
				sum = sum.minus(s.taken(p, asset))
			}
		}
		for _, f := range s.spendsOn(c) {
			sum = sum.minus(f.lost(asset))
		}
		return sum
	}
	for _, w := range s.withdrawals {
		if w.Chain == c.ID && w.Asset == asset && (w.Height != 0 || c.Driver == schema.Provider && w.left()) {
			sum = sum.minus(of(w.Amount))
		}
	}
	for _, v := range s.invoices {
		if v.Chain == c.ID && v.Asset == asset && v.came() {
			sum = sum.plus(of(v.Amount))
		}
	}
	return sum
}

// net is what an account gets of a deposit.
func (d *chainDeposit) net() num { return of(d.Amount).minus(of(d.Fee)) }

// heldBy is what an account holds of an asset because of deposits by chains that are not confirmed; chain 0: by all.
func (s *chains) heldBy(a schema.AccountID, on schema.ChainID, asset schema.AssetID) num {
	sum := num{}
	for _, d := range s.deposits {
		if d.Status == schema.DepositHeld && d.Account == a && d.Asset == asset && (on == 0 || d.Chain == on) {
			sum = sum.plus(d.net())
		}
	}
	return sum
}
