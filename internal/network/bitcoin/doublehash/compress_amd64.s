#include "textflag.h"

// SHA-256 (FIPS 180-4, 6.2.2) of eight lanes with AVX2. Y0 to Y7 are the words a to h of all lanes; Y8 to Y11 are for sums in between. SI is
// the state, DI the last sixteen words of the schedule, BX the constants of the next sixteen rounds.

// SIGMA: y = x rotated by r1 ^ x rotated by r2 ^ x rotated by r3, where each l is 32 - r.
#define SIGMA(x, r1, l1, r2, l2, r3, l3, y, z) \
	VPSRLD $r1, x, y; \
	VPSLLD $l1, x, z; \
	VPXOR  z, y, y;   \
	VPSRLD $r2, x, z; \
	VPXOR  z, y, y;   \
	VPSLLD $l2, x, z; \
	VPXOR  z, y, y;   \
	VPSRLD $r3, x, z; \
	VPXOR  z, y, y;   \
	VPSLLD $l3, x, z; \
	VPXOR  z, y, y

// SHIFTED is the same with a shift in place of the third rotation.
#define SHIFTED(x, r1, l1, r2, l2, shift, y, z) \
	VPSRLD $r1, x, y;    \
	VPSLLD $l1, x, z;    \
	VPXOR  z, y, y;      \
	VPSRLD $r2, x, z;    \
	VPXOR  z, y, y;      \
	VPSLLD $l2, x, z;    \
	VPXOR  z, y, y;      \
	VPSRLD $shift, x, z; \
	VPXOR  z, y, y

// ROUND of word i. What was h is a afterwards, so the names move on by one.
#define ROUND(a, b, c, d, e, f, g, h, i) \
	VPADDD       (i*32)(DI), h, h; \
	VPBROADCASTD (i*4)(BX), Y8;    \
	VPADDD       Y8, h, h;         \
	SIGMA(e, 6, 26, 11, 21, 25, 7, Y8, Y9); \
	VPADDD       Y8, h, h;         \
	VPXOR        f, g, Y10;        \
	VPAND        e, Y10, Y10;      \
	VPXOR        g, Y10, Y10;      \
	VPADDD       Y10, h, h;        \
	VPADDD       h, d, d;          \
	SIGMA(a, 2, 30, 13, 19, 22, 10, Y8, Y9); \
	VPADDD       Y8, h, h;         \
	VPOR         a, b, Y10;        \
	VPAND        c, Y10, Y10;      \
	VPAND        a, b, Y11;        \
	VPOR         Y11, Y10, Y10;    \
	VPADDD       Y10, h, h

// SCHEDULE puts word i+16 in the place of word i; those 1, 9 and 14 behind it are at i1, i9 and i14.
#define SCHEDULE(i, i1, i9, i14) \
	VMOVDQU (i1*32)(DI), Y10;       \
	SHIFTED(Y10, 7, 25, 18, 14, 3, Y8, Y9); \
	VPADDD  (i*32)(DI), Y8, Y12;    \
	VPADDD  (i9*32)(DI), Y12, Y12;  \
	VMOVDQU (i14*32)(DI), Y10;      \
	SHIFTED(Y10, 17, 15, 19, 13, 10, Y8, Y9); \
	VPADDD  Y8, Y12, Y12;           \
	VMOVDQU Y12, (i*32)(DI)

#define ROUNDS8(i) \
	ROUND(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, (i+0)); \
	ROUND(Y7, Y0, Y1, Y2, Y3, Y4, Y5, Y6, (i+1)); \
	ROUND(Y6, Y7, Y0, Y1, Y2, Y3, Y4, Y5, (i+2)); \
	ROUND(Y5, Y6, Y7, Y0, Y1, Y2, Y3, Y4, (i+3)); \
	ROUND(Y4, Y5, Y6, Y7, Y0, Y1, Y2, Y3, (i+4)); \
	ROUND(Y3, Y4, Y5, Y6, Y7, Y0, Y1, Y2, (i+5)); \
	ROUND(Y2, Y3, Y4, Y5, Y6, Y7, Y0, Y1, (i+6)); \
	ROUND(Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y0, (i+7))

// func compress(s *state, w *words)
TEXT ·compress(SB), NOSPLIT, $0-16
	MOVQ s+0(FP), SI
	MOVQ w+8(FP), DI
	LEAQ constants<>(SB), BX
	VMOVDQU 0(SI), Y0
	VMOVDQU 32(SI), Y1
	VMOVDQU 64(SI), Y2
	VMOVDQU 96(SI), Y3
	VMOVDQU 128(SI), Y4
	VMOVDQU 160(SI), Y5
	VMOVDQU 192(SI), Y6
	VMOVDQU 224(SI), Y7
	ROUNDS8(0)
	ROUNDS8(8)
	MOVQ $3, CX

next:
	ADDQ $64, BX
	SCHEDULE(0, 1, 9, 14)
	SCHEDULE(1, 2, 10, 15)
	SCHEDULE(2, 3, 11, 0)
	SCHEDULE(3, 4, 12, 1)
	SCHEDULE(4, 5, 13, 2)
	SCHEDULE(5, 6, 14, 3)
	SCHEDULE(6, 7, 15, 4)
	SCHEDULE(7, 8, 0, 5)
	ROUNDS8(0)
	SCHEDULE(8, 9, 1, 6)
	SCHEDULE(9, 10, 2, 7)
	SCHEDULE(10, 11, 3, 8)
	SCHEDULE(11, 12, 4, 9)
	SCHEDULE(12, 13, 5, 10)
	SCHEDULE(13, 14, 6, 11)
	SCHEDULE(14, 15, 7, 12)
	SCHEDULE(15, 0, 8, 13)
	ROUNDS8(8)
	DECQ CX
	JNZ  next

	VPADDD  0(SI), Y0, Y0
	VPADDD  32(SI), Y1, Y1
	VPADDD  64(SI), Y2, Y2
	VPADDD  96(SI), Y3, Y3
	VPADDD  128(SI), Y4, Y4
	VPADDD  160(SI), Y5, Y5
	VPADDD  192(SI), Y6, Y6
	VPADDD  224(SI), Y7, Y7
	VMOVDQU Y0, 0(SI)
	VMOVDQU Y1, 32(SI)
	VMOVDQU Y2, 64(SI)
	VMOVDQU Y3, 96(SI)
	VMOVDQU Y4, 128(SI)
	VMOVDQU Y5, 160(SI)
	VMOVDQU Y6, 192(SI)
	VMOVDQU Y7, 224(SI)
	VZEROUPPER
	RET

DATA constants<>+0x00(SB)/8, $0x71374491428a2f98
DATA constants<>+0x08(SB)/8, $0xe9b5dba5b5c0fbcf
DATA constants<>+0x10(SB)/8, $0x59f111f13956c25b
DATA constants<>+0x18(SB)/8, $0xab1c5ed5923f82a4
DATA constants<>+0x20(SB)/8, $0x12835b01d807aa98
DATA constants<>+0x28(SB)/8, $0x550c7dc3243185be
DATA constants<>+0x30(SB)/8, $0x80deb1fe72be5d74
DATA constants<>+0x38(SB)/8, $0xc19bf1749bdc06a7
DATA constants<>+0x40(SB)/8, $0xefbe4786e49b69c1
DATA constants<>+0x48(SB)/8, $0x240ca1cc0fc19dc6
DATA constants<>+0x50(SB)/8, $0x4a7484aa2de92c6f
DATA constants<>+0x58(SB)/8, $0x76f988da5cb0a9dc
DATA constants<>+0x60(SB)/8, $0xa831c66d983e5152
DATA constants<>+0x68(SB)/8, $0xbf597fc7b00327c8
DATA constants<>+0x70(SB)/8, $0xd5a79147c6e00bf3
DATA constants<>+0x78(SB)/8, $0x1429296706ca6351
DATA constants<>+0x80(SB)/8, $0x2e1b213827b70a85
DATA constants<>+0x88(SB)/8, $0x53380d134d2c6dfc
DATA constants<>+0x90(SB)/8, $0x766a0abb650a7354
DATA constants<>+0x98(SB)/8, $0x92722c8581c2c92e
DATA constants<>+0xa0(SB)/8, $0xa81a664ba2bfe8a1
DATA constants<>+0xa8(SB)/8, $0xc76c51a3c24b8b70
DATA constants<>+0xb0(SB)/8, $0xd6990624d192e819
DATA constants<>+0xb8(SB)/8, $0x106aa070f40e3585
DATA constants<>+0xc0(SB)/8, $0x1e376c0819a4c116
DATA constants<>+0xc8(SB)/8, $0x34b0bcb52748774c
DATA constants<>+0xd0(SB)/8, $0x4ed8aa4a391c0cb3
DATA constants<>+0xd8(SB)/8, $0x682e6ff35b9cca4f
DATA constants<>+0xe0(SB)/8, $0x78a5636f748f82ee
DATA constants<>+0xe8(SB)/8, $0x8cc7020884c87814
DATA constants<>+0xf0(SB)/8, $0xa4506ceb90befffa
DATA constants<>+0xf8(SB)/8, $0xc67178f2bef9a3f7
GLOBL constants<>(SB), NOPTR|RODATA, $256
