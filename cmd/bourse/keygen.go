package main

import "bourse/internal/auth"

// keygenCmd makes a key. Nothing is kept of it.
type keygenCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

func (keygenCmd) Help() string {
	return `The key has 32 and the secret 64 hexadecimal digits, from the random numbers of the operating system.
Write them into the "keys" of an account in the file of 'bourse serve --setup'; an exchange that runs makes
its own with 'bourse operator keys create'.`
}

func (c *keygenCmd) Run(out stdout) error {
	key, secret := auth.NewPair()
	r := &rows{out: out, json: c.JSON, pairs: true}
	if err := r.add(cell{"key", key}, cell{"secret", secret}); err != nil {
		return err
	}
	return r.flush()
}
