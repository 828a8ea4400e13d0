// Package rules holds no code, only tests that keep the rules of the house: who may import
// whom, what the deterministic part may not touch, and what the oracle may not share with the
// core. They are tests and not a document because a document does not fail.
package rules
