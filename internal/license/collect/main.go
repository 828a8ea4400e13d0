// Command collect prints the licences of everything that is linked into the program on a platform:
//
//	go run ./internal/license/collect linux/amd64 > THIRD_PARTY_LICENSES
//
// It is started in the root of the repository, after the docs page was built.
package main

import (
	"context"
	"fmt"
	"os"

	"bourse/internal/license"
)

func main() {
	if err := collect(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "collect: %v\n", err)
		os.Exit(1)
	}
}

func collect(platforms []string) error {
	if len(platforms) != 1 {
		return fmt.Errorf("name one platform, such as linux/amd64")
	}
	modules, err := license.Linked(context.Background(), platforms[0], "./cmd/bourse")
	if err != nil {
		return err
	}
	fmt.Print("Licences of the code that is linked into bourse, which itself stands under the Apache License 2.0 (LICENSE).\n\n")
	if err := license.Write(os.Stdout, modules); err != nil {
		return err
	}
	page, err := os.ReadFile("internal/docs/dist/licenses.txt")
	if err != nil {
		return fmt.Errorf("reading the licences of the docs page: %w; 'make web' builds it", err)
	}
	fmt.Printf("Licences of the code that is in the docs page:\n\n%s", page)
	return nil
}
