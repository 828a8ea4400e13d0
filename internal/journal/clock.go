package journal

import (
	"context"
	"fmt"
	"time"
)

// Clock is the time of day of the server that keeps the log.
func (j *Journal) Clock(ctx context.Context) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	info, err := j.stream.Info(ctx)
	if err != nil {
		return time.Time{}, fmt.Errorf("asking the journal for its time: %w", err)
	}
	return info.TimeStamp, nil
}
