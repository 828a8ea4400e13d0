package core

import (
	"math/rand/v2"

	"pgregory.net/rapid"
)

// dice decide what is drawn. The numbers of rapid are small on purpose, which would make the first of
// every list of choices the usual one and most of them rare; these are fair.
type dice struct{ *rand.Rand }

// roll makes dice that rapid knows how to throw again.
func roll(t *rapid.T) *dice {
	faces := make([]uint64, 21) // 21! is about 2^65
	for i := range faces {
		faces[i] = uint64(i)
	}
	seed := uint64(0)
	for _, face := range rapid.Permutation(faces).Draw(t, "dice") {
		seed = seed*uint64(len(faces)) + face
	}
	return &dice{rand.New(rand.NewPCG(seed, 0))}
}

func chance(t *dice, n int) int { return t.IntN(n) }

func coin(t *dice) bool { return chance(t, 2) == 0 }

// rarely is for what is wrong or out of the ordinary.
func rarely(t *dice) bool { return chance(t, 25) == 0 }

func pick[T any](t *dice, from ...T) T { return from[chance(t, len(from))] }
