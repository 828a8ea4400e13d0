// Package notify tells the service manager how the program is, as systemd wants it of a service of
// Type=notify: one datagram with lines such as READY=1 to the socket that NOTIFY_SOCKET names.
package notify

import (
	"fmt"
	"net"
	"os"
)

// States that a service manager knows.
const (
	Ready    = "READY=1"
	Stopping = "STOPPING=1"
)

// Send tells the service manager a state. Without one there is nobody to tell, which is no error.
func Send(state string) error {
	path := os.Getenv("NOTIFY_SOCKET")
	if path == "" {
		return nil
	}
	// A path that begins with @ is in the abstract namespace of Linux; package net knows this form.
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("reaching the service manager: %w", err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(state)); err != nil {
		return fmt.Errorf("telling the service manager %q: %w", state, err)
	}
	return nil
}
