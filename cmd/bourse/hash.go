package main

import (
	"os"
	"os/signal"
	"syscall"

	"bourse/internal/argon"
)

// hashPasswordsCmd is the process that hashes passwords for an exchange. A signal to stop that goes to both is for the exchange: this one
// ends when nobody can write to it any more.
type hashPasswordsCmd struct{}

func (hashPasswordsCmd) Run(out stdout) error {
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	return argon.Serve(os.Stdin, out)
}
