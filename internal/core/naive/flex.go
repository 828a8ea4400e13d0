package naive

import "bourse/internal/schema"

// add puts money into a flex plan; v is what the account has there, or nil.
func (s *earn) add(p *savings, v *investment, c *schema.Invest) schema.Result {
	amount, asset := of(c.Amount), s.listing.asset(p.Asset)
	aDay := s.total(p).plus(amount).times(of(p.Rate)).over(whole(365)).ceil(unit(asset.Precision))
	if !s.canPay(p.Asset, aDay) {
		return refuse(schema.InterestNotCovered)
	}
	action := schema.EarnInvested
	if v == nil {
		v, action = s.made(p, c), schema.EarnOpened
	}
	v.Amount, v.waiting = of(v.Amount).plus(amount).decimal(), v.waiting.plus(amount)
	v.Reinvest = c.Reinvest
	s.ledger.move(in(c.Account), holder{c.Account, schema.Earn}, p.Asset, amount, v.why())
	s.changed(v)
	return schema.Result{ID: uint64(s.acted(v, action, p.Asset, amount))}
}

// canPay reports whether interest is paid at once: no investment is owed anything of the asset, and there is enough.
func (s *earn) canPay(asset schema.AssetID, amount num) bool {
	for _, v := range s.all {
		if s.plan(v.Plan).Asset == asset && v.owed.sign() > 0 {
			return false
		}
	}
	return !amount.more(s.ledger.balance(interests, schema.Main, asset).available)
}

// withdraw takes money out of a flex plan.
func (s *earn) withdraw(c *schema.Divest) schema.Result {
	s.pass()
	v := s.flexOf(c.Account, c.Plan)
	if v == nil {
		return refuse(schema.InvestmentUnknown)
	}
	s.credit(v)
	amount, has, asset := of(c.Amount), of(v.Amount), s.assetOf(v)
	if c.All {
		return schema.Result{ID: uint64(s.close(v))}
	}
	if r := checkMove(amount, asset.Precision); refused(r) {
		return reject(r)
	}
	rest := has.minus(amount)
	switch {
	case rest.sign() < 0:
		return refuse(schema.DivestTooMuch)
	case rest.sign() == 0:
		return schema.Result{ID: uint64(s.close(v))}
	case rest.less(of(s.plan(v.Plan).Min)):
		return refuse(schema.DivestLeavesTooLittle)
	}
	fromWaiting := least(amount, v.waiting)
	v.waiting, v.earning = v.waiting.minus(fromWaiting), v.earning.minus(amount.minus(fromWaiting))
	v.Amount = rest.decimal()
	s.changed(v)
	s.toMain(v, holder{v.Account, schema.Earn}, asset.ID, amount)
	return schema.Result{ID: uint64(s.acted(v, schema.EarnWithdrawn, asset.ID, amount))}
}

// close gives all back that is in a flex plan, with what accrued up to the last full hour.
func (s *earn) close(v *investment) schema.EarnID {
	asset, principal := s.assetOf(v), of(v.Amount)
	interest := s.units(v, v.accrued)
	v.Closed, v.Amount = true, num{}.decimal()
	v.earning, v.waiting, v.accrued, v.due = num{}, num{}, num{}, num{}
	s.changed(v)
	s.toMain(v, holder{v.Account, schema.Earn}, asset.ID, principal)
	action := s.acted(v, schema.EarnClosed, asset.ID, principal)
	switch {
	case interest.sign() == 0:
	case s.canPay(asset.ID, interest):
		s.toMain(v, in(interests), asset.ID, interest)
		s.acted(v, schema.EarnDaily, asset.ID, interest)
	default:
		v.owed = v.owed.plus(interest)
	}
	return action
}

// units cuts interest to what can be credited.
func (s *earn) units(v *investment, interest num) num {
	return least(interest.floor(unit(s.assetOf(v).Precision)), largest)
}

// credit credits what accrued to an investment up to the last midnight, if that is to be done yet.
func (s *earn) credit(v *investment) {
	p, asset, interest := s.plan(v.Plan), s.assetOf(v).ID, s.units(v, v.due)
	v.due = num{}
	if interest.sign() == 0 {
		return
	}
	v.accrued = v.accrued.minus(interest)
	if !s.canPay(asset, interest) {
		v.owed = v.owed.plus(interest)
		return
	}
	again := s.reinvested(p, v, interest)
	if again.sign() > 0 {
		v.Amount, v.earning = of(v.Amount).plus(again).decimal(), v.earning.plus(again)
		v.accrued = v.accrued.plus(again.times(p.today))
		s.ledger.move(in(interests), holder{v.Account, schema.Earn}, asset, again, v.why())
		s.changed(v)
	}
	s.acted(v, schema.EarnDaily, asset, interest)
	if again.sign() > 0 {
		s.acted(v, schema.EarnReinvested, asset, again)
	}
	s.toMain(v, in(interests), asset, interest.minus(again))
}

// reinvested is what of interest is invested.
func (s *earn) reinvested(p *savings, v *investment, interest num) num {
	switch most := of(p.Max); {
	case !v.Reinvest:
		return num{}
	case most.sign() == 0:
		return interest
	default:
		return least(interest, greatest(num{}, most.minus(of(v.Amount))))
	}
}

// creditAll credits what accrued up to the last midnight, so many investments with a tick.
func (s *earn) creditAll() {
	if last := midnightOf(s.call.at); s.midnight != last {
		s.midnight, s.seen = last, 0
	}
	left := s.open(func(v *investment) bool { return s.isFlex(v) && v.ID > s.seen })
	s.through, s.next = len(left) <= *s.looks, s.midnight+fullDay
	for _, v := range left[:min(len(left), *s.looks)] {
		s.seen = v.ID
		s.credit(v)
	}
}

// payOwed pays interest that is owed, so many sums with a tick.
func (s *earn) payOwed() {
	list := s.payable()
	for _, v := range list[:min(len(list), *s.looks)] {
		asset, amount := s.assetOf(v).ID, v.owed
		v.owed = num{}
		s.toMain(v, in(interests), asset, amount)
		s.acted(v, schema.EarnDaily, asset, amount)
	}
}

// payable are the investments that can be paid what they are owed, asset by asset: the first ones, as far as interest has enough for all of
// them.
func (s *earn) payable() (list []*investment) {
	for _, asset := range s.listing.assets {
		left := s.ledger.balance(interests, schema.Main, asset.ID).available
		for _, v := range s.all {
			if v.owed.sign() == 0 || s.assetOf(v).ID != asset.ID {
				continue
			}
			if left = left.minus(v.owed); left.sign() < 0 {
				break
			}
			list = append(list, v)
		}
	}
	return list
}

func (s *earn) setReinvest(c *schema.SetReinvest) schema.Rejection {
	if _, r := s.accounts.trader(c.Account); refused(r) {
		return r
	}
	s.pass()
	v := s.flexOf(c.Account, c.Plan)
	if v == nil {
		return because(schema.InvestmentUnknown)
	}
	s.credit(v)
	v.Reinvest = c.On
	s.changed(v)
	return accepted
}
