package main

// nearest is the word of a list that was probably meant, or "" when none is close: a third of its
// letters may be wrong.
func nearest(word string, known []string) (found string) {
	least := len(word)/3 + 2
	for _, candidate := range known {
		if d := distance(word, candidate); d < least {
			least, found = d, candidate
		}
	}
	return found
}

// distance is how many letters must be put in, left out, changed or swapped with their neighbour
// to make one word of the other.
func distance(a, b string) int {
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
