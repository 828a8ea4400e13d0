package main

import "testing"

func TestOperatorVerdicts(t *testing.T) {
	d := openDesk(t)
	d.prints(d.do("verdicts", "list"), "no verdicts\n")
	d.prints(d.do("verdicts", "set", "bc1q/bad", "high", "--description", "Funds of a thief."), `
address      bc1q/bad
fails        no
risk         high
description  Funds of a thief.
`)
	d.same(d.json("verdicts", "set", "0xdark", "fail"), parsed(t, `{"address":"0xdark","fails":true,"risk":"","description":""}`))
	d.do("verdicts", "set", "zz", "medium")
	d.prints(d.do("verdicts", "list"), `
address   fails  risk    description
0xdark    yes    -       -
bc1q/bad  no     high    Funds of a thief.
zz        no     medium  -
`)
	d.same(d.json("verdicts", "list"), d.get("verdicts"))
	d.do("verdicts", "clear", "bc1q/bad")
	d.same(d.get("verdicts"), parsed(t, `[{"address":"0xdark","fails":true,"risk":"","description":""},{"address":"zz","fails":false,"risk":"medium","description":""}]`))
	d.refuses(2, `<verdict> must be one of "low","medium","high","fail" but got "none"`, "verdicts", "set", "zz", "none")
	d.refuses(1, "A verdict has an address, and either fails or has a risk (low, medium, high) and a description of at most 500 bytes. (address)",
		"verdicts", "set", "zz", "fail", "--description", "no answer")
}
