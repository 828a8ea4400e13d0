package main

import (
	"time"

	"bourse/internal/journal"
)

// journalFlags say where the log of the exchange is.
type journalFlags struct {
	Sync        string `enum:"always,interval" default:"always" help:"When an embedded journal reaches the disk: always before the answer, or every two seconds (a power cut may then lose what was acknowledged)."`
	NATS        string `name:"nats" placeholder:"URL" secret:"url" help:"A NATS server or cluster that keeps the log, instead of the one inside this program."`
	Replicas    int    `enum:"0,1,3" default:"0" help:"Copies of the log in a NATS cluster, 1 or 3. With 0 an existing log stays as it is, and a new one has 1."`
	Credentials string `placeholder:"FILE" type:"existingfile" help:"NATS credentials."`
	CA          string `name:"ca" placeholder:"FILE" type:"existingfile" help:"The authority that the NATS server's certificate is checked by."`
	Certificate string `name:"cert" placeholder:"FILE" type:"existingfile" help:"Our own certificate for the NATS server; --key holds its key."`
	Key         string `placeholder:"FILE" type:"existingfile" help:"The key of --cert."`
}

func (f *journalFlags) options(dir string) journal.Options {
	o := journal.Options{
		Dir: dir, URL: f.NATS, Replicas: f.Replicas,
		Credentials: f.Credentials, CA: f.CA, Certificate: f.Certificate, Key: f.Key,
	}
	if f.Sync == "interval" {
		o.SyncInterval = 2 * time.Second
	}
	return o
}
