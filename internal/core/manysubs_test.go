package core

import (
	"fmt"
	"testing"

	"bourse/internal/core/naive"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestManySubsAgainstNaive: the most that a master can have at once, and the most that it can ever have. The numbers are too large for
// worlds in which all is compared after each command.
func TestManySubsAgainstNaive(t *testing.T) {
	t.Parallel()
	m, oracle := New(), naive.New()
	send := func(c schema.Command) schema.Result {
		t.Helper()
		got, want := m.Apply(start, c), oracle.Apply(start, schema.Origin{}, c)
		if err := sameResult(&got.Result, &want.Result); err != nil {
			t.Fatalf("%T %+v: %v", c, c, err)
		}
		return want.Result
	}
	const master = schema.FirstCustomer
	send(&schema.SetAccount{Account: schema.Account{Name: "master", Region: schema.Global}})
	var living []schema.AccountID
	refused := map[schema.Rejection]int{}
	for i := range schema.MaxSubsEver + 20 {
		made := send(&schema.SetSub{Master: master, External: fmt.Sprint(i), Alias: fmt.Sprint(i % 150), ShareKYC: true})
		if refused[made.Rejection]++; !made.Rejection.Refused() {
			living = append(living, schema.AccountID(made.ID))
		}
		if len(living) == schema.MaxSubs && i%7 == 0 || i > 500 && i%3 != 0 && len(living) > 0 {
			send(&schema.DeleteSub{Master: master, Sub: living[0]})
			living = living[1:]
		}
		if i%100 == 0 {
			restored, err := Restore(m.Snapshot())
			if err != nil || restored.Hash() != m.Hash() {
				t.Fatalf("the restored machine is another one: %v", err)
			}
			m = restored
		}
	}
	for i := 0; len(living) > 0; i++ { // all that is left goes, and others come until there were too many
		send(&schema.DeleteSub{Master: master, Sub: living[0]})
		living = living[1:]
		made := send(&schema.SetSub{Master: master, External: fmt.Sprint("late", i), Alias: fmt.Sprint("late", i), ShareKYC: true})
		if refused[made.Rejection]++; !made.Rejection.Refused() {
			living = append(living, schema.AccountID(made.ID))
		}
		send(&schema.SetAccount{Account: schema.Account{ID: master, Name: "master", Region: schema.Global, MaxLeverage: []uint8{0, 5, 20}[i%3]}})
	}
	for _, most := range []int64{schema.MaxSubs, schema.MaxSubsEver} {
		if refused[schema.Rejection{Reason: schema.SubsTooMany, Value: fixed.FromInt(most)}] == 0 {
			t.Errorf("nobody was refused because of %d sub-accounts", most)
		}
	}
	if refused[schema.Rejection{Reason: schema.SubAliasTaken}] == 0 || refused[schema.Rejection{}] != schema.MaxSubsEver {
		t.Errorf("the answers are %v", refused)
	}
}
