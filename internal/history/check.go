package history

import "bourse/internal/schema"

// checkClasses are what a check that succeeded is for those who look at it.
var checkClasses = [...]Class{schema.LowRisk: CheckLow, schema.MediumRisk: CheckMedium, schema.HighRisk: CheckHigh}

// checked is the state of a check for the account that asked for it.
func checked(c *schema.Check) Record {
	class := CheckRunning
	switch c.Status {
	case schema.CheckFailed:
		class = CheckFailed
	case schema.CheckSucceeded:
		class = checkClasses[c.Risk]
	}
	return Record{
		Kind: Checks, Account: c.Account, Asset: c.Asset, Time: c.Created, ID: uint64(c.ID), Ref: uint64(c.ID), Class: class, Tag: tagOf(c.Address), Payload: c,
	}
}
