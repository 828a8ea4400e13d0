package disk

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"
)

func TestFailedTellsDisksFromOtherErrors(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "f", Err: syscall.ENOSPC}
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{errors.New("no"), false},
		{os.ErrPermission, false},
		{fmt.Errorf("storing: %w", full), true},
		{errors.Join(errors.New("first"), fmt.Errorf("second: %w", ErrFailed)), true},
		{&os.PathError{Op: "open", Path: "f", Err: syscall.EROFS}, true},
	} {
		if got := Failed(c.err); got != c.want {
			t.Errorf("%v: %v", c.err, got)
		}
	}
}
