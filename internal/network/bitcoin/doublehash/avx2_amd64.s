#include "textflag.h"
#include "compress_amd64.h"

// SIGMA: x rotated by r1 ^ x rotated by r2 ^ x rotated by r3, where each l is 32 - r.
#define SIGMA(x, r1, l1, r2, l2, r3, l3, y) \
	VPSRLD $r1, x, y;  \
	VPSLLD $l1, x, Y9; \
	VPXOR  Y9, y, y;   \
	VPSRLD $r2, x, Y9; \
	VPXOR  Y9, y, y;   \
	VPSLLD $l2, x, Y9; \
	VPXOR  Y9, y, y;   \
	VPSRLD $r3, x, Y9; \
	VPXOR  Y9, y, y;   \
	VPSLLD $l3, x, Y9; \
	VPXOR  Y9, y, y

// SHIFTED is the same with a shift in place of the third rotation.
#define SHIFTED(x, r1, l1, r2, l2, shift, y) \
	VPSRLD $r1, x, y;     \
	VPSLLD $l1, x, Y9;    \
	VPXOR  Y9, y, y;      \
	VPSRLD $r2, x, Y9;    \
	VPXOR  Y9, y, y;      \
	VPSLLD $l2, x, Y9;    \
	VPXOR  Y9, y, y;      \
	VPSRLD $shift, x, Y9; \
	VPXOR  Y9, y, y

// CHOOSE the bits of f where e has ones, and of g where it has none.
#define CHOOSE(e, f, g, y) \
	VPXOR f, g, y; \
	VPAND e, y, y; \
	VPXOR g, y, y

#define MAJORITY(a, b, c, y) \
	VPOR  a, b, y;  \
	VPAND c, y, y;  \
	VPAND a, b, Y9; \
	VPOR  Y9, y, y

// func compressAVX2(s *state, blocks *[lanes]*[blockBytes]byte, constants *[64]uint32)
TEXT ·compressAVX2(SB), NOSPLIT, $512-24
	COMPRESS
