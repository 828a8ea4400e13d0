package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// cell is a value and the name of its column; nil is a value that is not there.
type cell struct {
	name  string
	value any
}

// rows prints what commands find: as a table for people, or as JSON with an object a line. The
// rows of a table have the same columns; columns of numbers stand at the right.
type rows struct {
	out   io.Writer
	json  bool
	pairs bool       // print a row as names and values below each other
	empty string     // what to say to people when there is no row
	block [][]string // lines that wait to be lined up
	wide  []int      // of the columns, so far
	right []bool     // columns of numbers, as the first block shows
	some  bool       // there was a row
}

// blockRows is how many rows are lined up together at most: a long table is not kept in memory.
const blockRows = 1000

func (r *rows) add(cells ...cell) error {
	if r.json {
		return r.object(cells)
	}
	if r.pairs {
		for _, c := range cells {
			r.block = append(r.block, []string{c.title(), c.text()})
		}
		r.some = true
		return nil
	}
	if !r.some {
		r.line(cells, cell.title)
		r.some = true
	}
	r.line(cells, cell.text)
	if len(r.block) >= blockRows {
		return r.lineUp()
	}
	return nil
}

func (c cell) title() string { return strings.ReplaceAll(c.name, "_", " ") }

func (c cell) text() string {
	if c.value == nil {
		return "-"
	}
	return fmt.Sprint(c.value)
}

func (r *rows) line(cells []cell, text func(cell) string) {
	texts := make([]string, len(cells))
	for i, c := range cells {
		texts[i] = text(c)
	}
	r.block = append(r.block, texts)
}

// lineUp prints the lines that wait. Columns only ever grow wider.
func (r *rows) lineUp() error {
	if r.wide == nil {
		r.wide = make([]int, len(r.block[0]))
		r.right = make([]bool, len(r.block[0]))
		for i := range r.right {
			r.right[i] = !r.pairs && numbers(r.block[1:], i)
		}
	}
	for _, line := range r.block {
		for i, text := range line {
			r.wide[i] = max(r.wide[i], utf8.RuneCountInString(text))
		}
	}
	var b strings.Builder
	for _, line := range r.block {
		var l strings.Builder
		for i, text := range line {
			pad := strings.Repeat(" ", r.wide[i]-utf8.RuneCountInString(text))
			if r.right[i] {
				l.WriteString(pad + text + "  ")
			} else {
				l.WriteString(text + pad + "  ")
			}
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	r.block = r.block[:0]
	_, err := io.WriteString(r.out, b.String())
	return err
}

// numbers reports whether a column holds numbers and nothing else, and at least one.
func numbers(lines [][]string, column int) (any bool) {
	for _, line := range lines {
		if strings.Trim(line[column], "-.0123456789") != "" {
			return false
		}
		any = any || line[column] != "-"
	}
	return any
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
	case !r.some:
		if r.empty != "" {
			fmt.Fprintln(r.out, r.empty)
		}
		return nil
	case len(r.block) == 0:
		return nil
	}
	return r.lineUp()
}
