package main

import (
	"strings"
	"unicode/utf8"
)

// cell is a piece of text and its colour; the colour takes no width.
type cell struct {
	text  string
	paint paint
	right bool // aligned to the right
	loose bool // runs over the columns behind it: takes no part in their width
}

func c(text string) cell { return cell{text: text} }

func painted(p paint, text string) cell { return cell{text: text, paint: p} }

func number(text string) cell { return cell{text: text, right: true} }

// table is rows of cells in aligned columns, gap blanks apart.
type table struct {
	rows   [][]cell
	gap    int
	indent string
}

func (t *table) add(row ...cell) { t.rows = append(t.rows, row) }

// header adds a row of column names.
func (t *table) header(names ...string) {
	row := make([]cell, len(names))
	for i, n := range names {
		row[i] = painted(dim, n)
	}
	t.rows = append(t.rows, row)
}

// format is the table's lines without blanks at their ends.
func (t *table) format(s style) string {
	var widths []int
	for r := range t.rows {
		for i := range t.rows[r] {
			t.rows[r][i].text = s.ascii(t.rows[r][i].text)
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if t.rows[r][i].loose {
				continue
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(t.rows[r][i].text))
		}
	}
	var b strings.Builder
	for _, row := range t.rows {
		b.WriteString(t.line(s, row, widths) + "\n")
	}
	return b.String()
}

func (t *table) line(s style, row []cell, widths []int) string {
	var b strings.Builder
	blanks := len(t.indent)
	for i, cell := range row {
		pad := widths[i] - utf8.RuneCountInString(cell.text)
		if cell.text != "" {
			if cell.right {
				blanks += pad
			}
			b.WriteString(strings.Repeat(" ", blanks) + s.paint(cell.paint, cell.text))
			blanks = t.gap
			if !cell.right {
				blanks += max(pad, 0)
			}
			continue
		}
		blanks += widths[i] + t.gap
	}
	return b.String()
}
