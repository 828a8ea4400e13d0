package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bourse/internal/disk"
)

// defective is the program with a mistake in its core: it panics at accounts named mallory.
func defective(t *testing.T) string {
	t.Helper()
	source, err := filepath.Abs("../../internal/core/accounts/accounts.go")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	const sound = "func (a *Accounts) Set(account schema.Account, out *schema.Outcome) schema.Rejection {\n"
	if strings.Count(string(text), sound) != 1 {
		t.Fatalf("%s has no place for the mistake", source)
	}
	dir := t.TempDir()
	wrong, overlay, program := filepath.Join(dir, "accounts.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "bourse")
	mistake := sound + "	if account.Name == \"mallory\" {\n		panic(\"core: this version does not like mallory\")\n	}\n"
	files, err := json.Marshal(map[string]any{"Replace": map[string]string{source: wrong}})
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string]string{wrong: strings.Replace(string(text), sound, mistake, 1), overlay: string(files)} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := build(program, "-overlay", overlay); err != nil {
		t.Fatal(err)
	}
	return program
}

// TestACommandAtWhichTheCorePanics: the exchange ends with an exit code of its own and names the command;
// it does so again until that command is passed over, and nothing else is. A version without the mistake
// has nothing to pass over.
func TestACommandAtWhichTheCorePanics(t *testing.T) {
	program, data := defective(t), filepath.Join(t.TempDir(), "data")
	p := startProgram(t, program, nil, "--data", data)
	open := func(name string) (int, string) {
		return asOperator(t, data, "POST", p.operators+"/v1/accounts", `{"name":"`+name+`"}`)
	}
	if status, answer := open("alice"); status != 200 {
		t.Fatalf("%d %s", status, answer)
	}
	if status, answer := open("mallory"); status != 500 || !strings.Contains(answer, "it is not known whether this was done") {
		t.Errorf("%d %s", status, answer)
	}
	_ = p.process.Wait()
	if code := p.process.ProcessState.ExitCode(); code != exitStuck {
		t.Errorf("the exit code is %d: %s", code, p.errs.String())
	}
	serve := func(program string) (string, int) {
		_, errs, code := runProgram(t, program, "", "serve", "--data", data, "--listen", "127.0.0.1:0", "--operator", "127.0.0.1:0")
		return errs, code
	}
	said, code := serve(program)
	const panics = "(SetAccount): core: this version does not like mallory"
	_, advice, found := strings.Cut(said, "'bourse pass ")
	advice, _, ended := strings.Cut(advice, "'")
	if code != exitStuck || !strings.Contains(said, panics) || !found || !ended {
		t.Fatalf("started again: %d %s", code, said)
	}
	pass := func(program string, place ...string) (out, errs string, code int) {
		return runProgram(t, program, "", append(append([]string{"pass", "--data", data}, place...), "--reason", "nobody likes mallory")...)
	}
	place := strings.Fields(advice)
	elsewhere := append([]string{}, place...)
	elsewhere[len(elsewhere)-1] = "99"
	if _, errs, code := pass(program, elsewhere...); code != exitFailed || !strings.Contains(errs, "and not at command 99") {
		t.Errorf("another command: %d %s", code, errs)
	}
	sound := filepath.Join(t.TempDir(), "copy")
	if err := disk.CopyTree(sound, data); err != nil {
		t.Fatal(err)
	}
	if out, errs, code := pass(program, place...); code != 0 || !strings.Contains(out, "(SetAccount) is passed over from now on") {
		t.Fatalf("%d %s %s", code, out, errs)
	}
	p = startProgram(t, program, nil, "--data", data)
	if status, answer := asOperator(t, data, "GET", p.operators+"/v1/accounts", ""); status != 200 || !strings.Contains(answer, "alice") || strings.Contains(answer, "mallory") {
		t.Errorf("%d %s", status, answer)
	}
	if status, answer := open("bob"); status != 200 {
		t.Errorf("%d %s", status, answer)
	}
	p.stop(t)
	// Without the mistake the command happens, and there was no need to pass over it.
	if err := errors.Join(os.Chmod(sound, 0o700), os.RemoveAll(filepath.Join(sound, "operators"))); err != nil { // a token must be private
		t.Fatal(err)
	}
	data = sound
	if _, errs, code := pass(binary, place...); code != exitFailed || !strings.Contains(errs, "nothing to pass over") {
		t.Errorf("%d %s", code, errs)
	}
	p = start(t, nil, "--data", data)
	if status, answer := asOperator(t, data, "GET", p.operators+"/v1/accounts/mallory", ""); status != 200 {
		t.Errorf("%d %s", status, answer)
	}
	p.stop(t)
}
