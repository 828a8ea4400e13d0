package wallet

import (
	"fmt"

	"bourse/internal/api"
	"bourse/internal/schema"
)

// What keeps money from leaving that is the account's own: limits of its tier, and a time for which nothing leaves.
var (
	dailyLimit   = api.NewError(422, 0, api.InnerValidationFailed, "amount", "Daily limit reached")
	monthlyLimit = api.NewError(422, 0, api.InnerValidationFailed, "amount", "Monthly limit reached")
	currentLimit = api.NewError(400, 0, api.ValidationFailed, "amount", "Current limit exceeded")
)

// leavingFaults are what operations answer that let money leave.
var leavingFaults = []*api.Error{dailyLimit, monthlyLimit, currentLimit, api.Restricted(schema.Rejection{})}

// leavingRefusal is the error of a rejection of such an operation: err, where nothing else is said about it.
func leavingRefusal(c api.WriteCall, name string, r schema.Rejection, err error) error {
	switch r.Reason {
	case schema.WithdrawNotCovered:
		return notCovered(name, r)
	case schema.DayLimit, schema.MonthLimit:
		switch {
		case !c.Account.Verified:
			return currentLimit
		case r.Reason == schema.DayLimit:
			return dailyLimit
		}
		return monthlyLimit
	case schema.Restricted:
		return api.Restricted(r)
	}
	return err
}

// notCovered says that there is less money than a withdrawal takes.
func notCovered(name string, r schema.Rejection) *api.Error {
	return api.NewError(422, 5, api.InnerValidationFailed, "amount", fmt.Sprintf("Not enough money, %s balance = %s", name, r.Value))
}
