package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// cell is a value and the name of its column; nil is a value that is not there.
type cell struct {
	name  string
	value any
}

// rows prints what commands find: as a table for people, or as JSON with an object a line. The
// rows of a table have the same columns.
type rows struct {
	out   io.Writer
	json  bool
	pairs bool   // print a row as names and values below each other
	empty string // what to say to people when there is no row
	table *tabwriter.Writer
	count int // of rows in the table
}

// tableRows is how many rows are lined up together: a long table is not kept in memory.
const tableRows = 1000

func (r *rows) add(cells ...cell) error {
	if r.json {
		return r.object(cells)
	}
	if r.table == nil {
		r.table = tabwriter.NewWriter(r.out, 0, 0, 2, ' ', 0)
		if !r.pairs {
			r.row(cells, func(c cell) string { return strings.ReplaceAll(c.name, "_", " ") })
		}
	}
	if r.pairs {
		for _, c := range cells {
			fmt.Fprintf(r.table, "%s\t%v\n", strings.ReplaceAll(c.name, "_", " "), c.value)
		}
		return nil
	}
	r.row(cells, func(c cell) string {
		if c.value == nil {
			return "-"
		}
		return fmt.Sprint(c.value)
	})
	if r.count++; r.count%tableRows == 0 {
		return r.table.Flush()
	}
	return nil
}

func (r *rows) row(cells []cell, text func(cell) string) {
	texts := make([]string, len(cells))
	for i, c := range cells {
		texts[i] = text(c)
	}
	fmt.Fprintln(r.table, strings.Join(texts, "\t"))
}

// object prints the cells in their order; a map would lose it.
func (r *rows) object(cells []cell) error {
	line := []byte{'{'}
	for _, c := range cells {
		if c.value == nil {
			continue
		}
		value, err := json.Marshal(c.value)
		if err != nil {
			return err
		}
		if len(line) > 1 {
			line = append(line, ',')
		}
		line = append(fmt.Appendf(line, "%q:", c.name), value...)
	}
	_, err := r.out.Write(append(line, '}', '\n'))
	return err
}

// flush prints the rows that wait to be lined up.
func (r *rows) flush() error {
	switch {
	case r.json:
		return nil
	case r.table == nil:
		if r.empty != "" {
			fmt.Fprintln(r.out, r.empty)
		}
		return nil
	}
	return r.table.Flush()
}
