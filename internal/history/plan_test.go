package history

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// plan is what PostgreSQL tells about a part of a statement that it ran.
type plan struct {
	Node    string  `json:"Node Type"`
	Index   string  `json:"Index Name"`
	Rows    float64 `json:"Actual Rows"`
	Loops   float64 `json:"Actual Loops"`
	Removed float64 `json:"Rows Removed by Filter"`
	Filter  string  `json:"Filter"`
	Plans   []plan  `json:"Plans"`
}

func (p *plan) walk(depth int, visit func(int, *plan)) {
	visit(depth, p)
	for i := range p.Plans {
		p.Plans[i].walk(depth+1, visit)
	}
}

func (p *plan) String() string {
	var text strings.Builder
	p.walk(0, func(depth int, p *plan) {
		fmt.Fprintf(&text, "%*s%s %s: %.0f rows × %.0f, %.0f removed by %s\n", 2*depth, "", p.Node, p.Index, p.Rows, p.Loops, p.Removed, p.Filter)
	})
	return text.String()
}

// explain runs the statement of a query.
func explain(t *testing.T, p *postgresStore, q *Query) *plan {
	t.Helper()
	groups, err := q.groups(func() ([]group, error) { return p.find(t.Context(), q) })
	if err != nil {
		t.Fatal(err)
	}
	if len(groups) == 0 {
		t.Fatalf("%+v finds nothing", q)
	}
	text, args := q.statement(groups)
	literals := make([]string, len(args))
	for i, arg := range args {
		literals[i] = fmt.Sprintf("'%v'", arg)
	}
	conn, err := p.pool.Acquire(t.Context()) // with the settings of the store
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release() // after the statement is forgotten
	if _, err := conn.Exec(t.Context(), "PREPARE page AS "+text, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	defer conn.Exec(t.Context(), "DEALLOCATE page", pgx.QueryExecModeSimpleProtocol)
	var output []byte
	if err := conn.QueryRow(t.Context(), "EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE page("+strings.Join(literals, ", ")+")",
		pgx.QueryExecModeSimpleProtocol).Scan(&output); err != nil {
		t.Fatal(err)
	}
	var plans []struct{ Plan plan }
	if err := json.Unmarshal(output, &plans); err != nil {
		t.Fatal(err)
	}
	return &plans[0].Plan
}

// A page must cost what its offset and its size cost, whatever the account has done besides and
// whatever the planner knows about the table: here it knows nothing yet, and then everything.
func TestPostgresPagesAreMadeFromOneIndex(t *testing.T) {
	url := database(t)
	store := openPostgres(t, url).(*postgresStore)
	defer store.Close()
	execute(t, url, "ALTER TABLE records SET (autovacuum_enabled = off)")
	if err := Fill(t.Context(), store, 30_000, nil); err != nil {
		t.Fatal(err)
	}
	check := func() {
		for _, page := range pages {
			for _, offset := range []int{0, 100} {
				q := page.query
				aim(t, store, &q, offset)
				p := explain(t, store, &q)
				before := t.Failed()
				var rows float64
				p.walk(0, func(_ int, p *plan) {
					if p.Node == "Sort" || p.Node == "Seq Scan" || p.Filter != "" {
						t.Errorf("%s at %d: %s by %s", page.name, offset, p.Node, p.Filter)
					}
					if strings.HasSuffix(p.Node, "Scan") && p.Index != "" {
						rows += p.Rows * p.Loops
					}
				})
				// Each group may be one record ahead, and each record of the page is looked up.
				if most := float64(offset + 2*q.Limit + 8); rows > most {
					t.Errorf("%s at %d: %.0f rows are looked at, %.0f would be enough", page.name, offset, rows, most)
				}
				if before != t.Failed() {
					t.Error(p)
				}
			}
		}
	}
	check()
	execute(t, url, "ANALYZE records")
	check()
}
