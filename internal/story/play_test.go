package story
import ("testing";"os")
func TestPlay(t *testing.T){ f:=os.Getenv("PLAY"); if f==""{t.Skip()}; d,_:=os.ReadFile(f); if err:=Run(os.Stdout,f,string(d));err!=nil{t.Fatal(err)}}
