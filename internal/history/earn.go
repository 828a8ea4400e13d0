package history

import (
	"strconv"

	"bourse/internal/schema"
)

// earnedClasses are those of all actions, in their order.
var earnedClasses = []Class{
	EarnInvested, EarnReinvested, EarnWithdrawn, EarnDaily, EarnClosed, EarnOpened, EarnInterest, EarnPrincipal, EarnBeganFixed,
}

// Action is the class of an action of investments.
func Action(a schema.EarnAction) Class { return EarnInvested + Class(a-schema.EarnInvested) }

// investment is the state of an investment after money went into it or came out of it. It does not say itself of which asset it is; what was
// earned with it does. That somebody changed what becomes of its interest moves no money and leaves nothing: the exchange knows it of open ones.
func investment(v *schema.Investment, asset schema.AssetID) Record {
	class := FlexOpen
	switch fixed := v.Due != 0; {
	case fixed && v.Closed:
		class = FixedClosed
	case fixed:
		class = FixedOpen
	case v.Closed:
		class = FlexClosed
	}
	return Record{
		Kind: Investments, Account: v.Account, Asset: asset, Time: v.Created, ID: uint64(v.ID), Ref: uint64(v.ID), Class: class, Tag: InvestedIn(v.Plan), Payload: v,
	}
}

// InvestedIn is the tag of what belongs to a plan.
func InvestedIn(id schema.PlanID) string { return strconv.FormatUint(uint64(id), 10) }

// earned is what happened to an investment.
func earned(e *schema.Earned, at schema.Time) Record {
	return Record{
		Kind: Earnings, Account: e.Account, Asset: e.Asset, Time: at, ID: uint64(e.ID), Ref: uint64(e.Investment), Class: Action(e.Action), Tag: InvestedIn(e.Plan), Payload: e,
	}
}
