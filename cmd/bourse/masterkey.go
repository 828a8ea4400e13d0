package main

import "bourse/internal/seal"

// keyFlag is where the master key of a directory is. Every command that opens or makes one has it.
type keyFlag struct {
	MasterKey string `name:"master-key" placeholder:"FILE" type:"path" help:"The file that has the master key, in a place apart from the data; by default master.key in the directory. It is made there if the directory is new."`
}

// load reads the master key of a directory, or makes one for a directory that never had one.
func (f *keyFlag) load(dir string) (*seal.Key, error) { return seal.Load(dir, f.MasterKey) }

// read reads it and makes nothing.
func (f *keyFlag) read(dir string) (*seal.Key, error) { return seal.Read(dir, f.MasterKey) }

// path is where it is.
func (f *keyFlag) path(dir string) string { return seal.KeyPath(dir, f.MasterKey) }
