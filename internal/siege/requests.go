package siege

var requests = []Attack{}
