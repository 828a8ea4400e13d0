package api

// maxNesting is how deep the values of a request may be nested: no request needs as much, and to look
// into what is much deeper takes memory.
const maxNesting = 64

// TooDeep reports whether a text, if it is JSON, is nested deeper than any request. It takes one pass
// and no memory.
func TooDeep(message []byte) bool {
	depth, text := 0, false
	for i := 0; i < len(message); i++ {
		switch b := message[i]; {
		case text && b == '\\':
			i++
		case b == '"':
			text = !text
		case text:
		case b == '[' || b == '{':
			if depth++; depth > maxNesting {
				return true
			}
		case b == ']' || b == '}':
			depth--
		}
	}
	return false
}
