//go:build !invariants

package core

func (*Machine) checkInvariants() {}
