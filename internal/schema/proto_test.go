package schema

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write bourse.proto again")

func TestProtoFileIsWhatTheWalksSay(t *testing.T) {
	const path = "bourse.proto"
	if *rewrite {
		if err := os.WriteFile(path, []byte(Proto()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(kept) != Proto() {
		t.Error("bourse.proto differs from what the messages say; look at the difference after go test ./internal/schema -rewrite")
	}
}

// TestEveryEventIsDescribed finds the kinds of events in the source: the compiler cannot list
// the types that have a method.
func TestEveryEventIsDescribed(t *testing.T) {
	var declared, described []string
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "event" {
				declared = append(declared, f.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name)
			}
		}
	}
	for _, make := range events {
		e := make()
		described = append(described, typeOf(e).Name())
	}
	slices.Sort(declared)
	slices.Sort(described)
	if len(declared) == 0 || !slices.Equal(declared, described) {
		t.Errorf("events in the source: %v\nevents in bourse.proto: %v", declared, described)
	}
}
