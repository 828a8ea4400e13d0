//go:build !invariants

package core

type invariants struct{}

func (*Machine) checkInvariants() {}
