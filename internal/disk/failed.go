package disk

import (
	"errors"
	"syscall"
)

// ErrFailed is wrapped by errors of parts that cannot say more than that their disk does not work.
var ErrFailed = errors.New("the disk is full or broken")

// Failed reports whether an error comes from a disk that is full, broken or not to be written:
// the same works again once somebody has mended the disk.
func Failed(err error) bool {
	for _, cause := range []error{ErrFailed, syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EROFS} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}
