package main

import (
	"io"
	"log/slog"
)

// logFlags say what a program that runs on logs, and how.
type logFlags struct {
	Level string `name:"log-level" enum:"debug,info,warn,error" default:"info" placeholder:"LEVEL" help:"What is logged: debug (every request), info, warn or error."`
	JSON  bool   `name:"log-json" help:"Write the log as JSON."`
}

func (f *logFlags) logger(w io.Writer) *slog.Logger {
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
	o := &slog.HandlerOptions{Level: levels[f.Level]}
	if f.JSON {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}
