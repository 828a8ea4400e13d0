package convert

import (
	"reflect"
	"testing"

	"bourse/internal/api"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// TestWordsOfErrors: what became of a conversion with a key may be unknown, which is 502; all else is a validation, and what is mapped stays
// as it was.
func TestWordsOfErrors(t *testing.T) {
	inner := api.NewError(400, 20, api.InnerValidationFailed, "quoteId", "over")
	for _, tt := range []struct {
		mapped func(*api.Error) *api.Error
		from   error
		want   *api.Error
	}{
		{validation, inner, api.NewError(400, 20, api.ValidationFailed, "quoteId", "over")},
		{once, inner, api.NewError(400, 20, api.ValidationFailed, "quoteId", "over")},
		{once, node.ErrUnknown, api.NewError(502, 0, "api.httpErrors.invalidRequest", "request", "frontendServerSide.converter.outcomeUnknown")},
		{validation, node.ErrUnknown, api.ErrorOf(node.ErrUnknown)},
		{once, api.Refusal(schema.Refuse(schema.ConversionKeyUsed)), api.NewError(409, 0, "api.httpErrors.invalidRequest", "request", "frontendServerSide.converter.idempotencyKeyReused")},
		{once, api.Unavailable(), api.Unavailable()},
	} {
		if got := tt.mapped(api.ErrorOf(tt.from)); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%v became %v, want %v", tt.from, got, tt.want)
		}
	}
	if inner.Message != api.InnerValidationFailed {
		t.Error("the error itself was changed")
	}
}

// TestKeysAreOfAccounts: the same text is another key for another account, and no text is none.
func TestKeysAreOfAccounts(t *testing.T) {
	if none := keyOf(101, ""); !none.IsZero() {
		t.Error("no text is a key")
	}
	seen := map[schema.Digest]bool{}
	for _, account := range []schema.AccountID{101, 102, 0x01010101} {
		for _, key := range []string{"12345678", "123456789", "\x0012345678"} {
			digest := keyOf(account, key)
			if digest.IsZero() || seen[digest] || digest != keyOf(account, key) {
				t.Errorf("%d %q is %x", account, key, digest)
			}
			seen[digest] = true
		}
	}
}
