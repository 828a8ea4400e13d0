#include "textflag.h"
#include "compress_amd64.h"

// AVX-512 rotates, and computes any function of three bits, in one instruction.

#define SIGMA(x, r1, l1, r2, l2, r3, l3, y) \
	VPRORD     $r1, x, y;   \
	VPRORD     $r2, x, Y9;  \
	VPRORD     $r3, x, Y13; \
	VPTERNLOGD $0x96, Y9, Y13, y

#define SHIFTED(x, r1, l1, r2, l2, shift, y) \
	VPRORD     $r1, x, y;      \
	VPRORD     $r2, x, Y9;     \
	VPSRLD     $shift, x, Y13; \
	VPTERNLOGD $0x96, Y9, Y13, y

#define CHOOSE(e, f, g, y) \
	VMOVDQA    e, y; \
	VPTERNLOGD $0xca, g, f, y

#define MAJORITY(a, b, c, y) \
	VMOVDQA    a, y; \
	VPTERNLOGD $0xe8, b, c, y

// func compressAVX512(s *state, blocks *[lanes]*[blockBytes]byte, constants *[64]uint32)
TEXT ·compressAVX512(SB), NOSPLIT, $512-24
	COMPRESS
