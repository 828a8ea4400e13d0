// Package rules holds no code, only tests that keep the rules of the house: who may import
// whom, and what the deterministic part may not touch. They are tests and not a document because
// a document does not fail.
package rules
