// SHA-256 (FIPS 180-4, 6.2.2) of eight lanes. What differs between kinds of processors are four macros, which a file defines before it uses
// these: SIGMA, SHIFTED, CHOOSE and MAJORITY. They leave their result in y, and may use Y9 and Y13.
//
// Y0 to Y7 are the words a to h of all lanes; Y8 to Y13 are for sums in between. SI is the state, DX the blocks of the lanes, DI the last
// sixteen words of the schedule, BX the constants of the next sixteen rounds.

// ROUND of word i. What was h is a afterwards, so the names move on by one.
#define ROUND(a, b, c, d, e, f, g, h, i) \
	VPADDD       (i*32)(DI), h, h;       \
	VPBROADCASTD (i*4)(BX), Y8;          \
	VPADDD       Y8, h, h;               \
	SIGMA(e, 6, 26, 11, 21, 25, 7, Y8);  \
	VPADDD       Y8, h, h;               \
	CHOOSE(e, f, g, Y10);                \
	VPADDD       Y10, h, h;              \
	VPADDD       h, d, d;                \
	SIGMA(a, 2, 30, 13, 19, 22, 10, Y8); \
	VPADDD       Y8, h, h;               \
	MAJORITY(a, b, c, Y10);              \
	VPADDD       Y10, h, h

#define ROUNDS8(i) \
	ROUND(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, (i+0)); \
	ROUND(Y7, Y0, Y1, Y2, Y3, Y4, Y5, Y6, (i+1)); \
	ROUND(Y6, Y7, Y0, Y1, Y2, Y3, Y4, Y5, (i+2)); \
	ROUND(Y5, Y6, Y7, Y0, Y1, Y2, Y3, Y4, (i+3)); \
	ROUND(Y4, Y5, Y6, Y7, Y0, Y1, Y2, Y3, (i+4)); \
	ROUND(Y3, Y4, Y5, Y6, Y7, Y0, Y1, Y2, (i+5)); \
	ROUND(Y2, Y3, Y4, Y5, Y6, Y7, Y0, Y1, (i+6)); \
	ROUND(Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y0, (i+7))

// SCHEDULE puts word i+16 in the place of word i; those 1, 9 and 14 behind it are at i1, i9 and i14.
#define SCHEDULE(i, i1, i9, i14) \
	VMOVDQU (i1*32)(DI), Y10;               \
	SHIFTED(Y10, 7, 25, 18, 14, 3, Y8);     \
	VPADDD  (i*32)(DI), Y8, Y12;            \
	VPADDD  (i9*32)(DI), Y12, Y12;          \
	VMOVDQU (i14*32)(DI), Y10;              \
	SHIFTED(Y10, 17, 15, 19, 13, 10, Y8);   \
	VPADDD  Y8, Y12, Y12;                   \
	VMOVDQU Y12, (i*32)(DI)

#define SCHEDULE16 \
	SCHEDULE(0, 1, 9, 14);   \
	SCHEDULE(1, 2, 10, 15);  \
	SCHEDULE(2, 3, 11, 0);   \
	SCHEDULE(3, 4, 12, 1);   \
	SCHEDULE(4, 5, 13, 2);   \
	SCHEDULE(5, 6, 14, 3);   \
	SCHEDULE(6, 7, 15, 4);   \
	SCHEDULE(7, 8, 0, 5);    \
	SCHEDULE(8, 9, 1, 6);    \
	SCHEDULE(9, 10, 2, 7);   \
	SCHEDULE(10, 11, 3, 8);  \
	SCHEDULE(11, 12, 4, 9);  \
	SCHEDULE(12, 13, 5, 10); \
	SCHEDULE(13, 14, 6, 11); \
	SCHEDULE(14, 15, 7, 12); \
	SCHEDULE(15, 0, 8, 13)

// ROW loads 32 bytes of a lane's block as eight words.
#define ROW(lane, offset, y) \
	MOVQ    (lane*8)(DX), AX; \
	VMOVDQU offset(AX), y;    \
	VPSHUFB Y15, y, y

// WORDS8 turns eight words of each of eight lanes into eight rows with a word of all lanes.
#define WORDS8(offset, i) \
	VMOVDQU    flip<>(SB), Y15;   \
	ROW(0, offset, Y0);           \
	ROW(1, offset, Y1);           \
	ROW(2, offset, Y2);           \
	ROW(3, offset, Y3);           \
	ROW(4, offset, Y4);           \
	ROW(5, offset, Y5);           \
	ROW(6, offset, Y6);           \
	ROW(7, offset, Y7);           \
	VPUNPCKLDQ  Y1, Y0, Y8;       \
	VPUNPCKHDQ  Y1, Y0, Y9;       \
	VPUNPCKLDQ  Y3, Y2, Y10;      \
	VPUNPCKHDQ  Y3, Y2, Y11;      \
	VPUNPCKLDQ  Y5, Y4, Y12;      \
	VPUNPCKHDQ  Y5, Y4, Y13;      \
	VPUNPCKLDQ  Y7, Y6, Y14;      \
	VPUNPCKHDQ  Y7, Y6, Y15;      \
	VPUNPCKLQDQ Y10, Y8, Y0;      \
	VPUNPCKHQDQ Y10, Y8, Y1;      \
	VPUNPCKLQDQ Y11, Y9, Y2;      \
	VPUNPCKHQDQ Y11, Y9, Y3;      \
	VPUNPCKLQDQ Y14, Y12, Y4;     \
	VPUNPCKHQDQ Y14, Y12, Y5;     \
	VPUNPCKLQDQ Y15, Y13, Y6;     \
	VPUNPCKHQDQ Y15, Y13, Y7;     \
	VPERM2I128  $0x20, Y4, Y0, Y8;  \
	VPERM2I128  $0x20, Y5, Y1, Y9;  \
	VPERM2I128  $0x20, Y6, Y2, Y10; \
	VPERM2I128  $0x20, Y7, Y3, Y11; \
	VPERM2I128  $0x31, Y4, Y0, Y12; \
	VPERM2I128  $0x31, Y5, Y1, Y13; \
	VPERM2I128  $0x31, Y6, Y2, Y14; \
	VPERM2I128  $0x31, Y7, Y3, Y15; \
	VMOVDQU     Y8, ((i+0)*32)(DI); \
	VMOVDQU     Y9, ((i+1)*32)(DI); \
	VMOVDQU     Y10, ((i+2)*32)(DI); \
	VMOVDQU     Y11, ((i+3)*32)(DI); \
	VMOVDQU     Y12, ((i+4)*32)(DI); \
	VMOVDQU     Y13, ((i+5)*32)(DI); \
	VMOVDQU     Y14, ((i+6)*32)(DI); \
	VMOVDQU     Y15, ((i+7)*32)(DI)

#define LOADSTATE \
	VMOVDQU 0(SI), Y0;   \
	VMOVDQU 32(SI), Y1;  \
	VMOVDQU 64(SI), Y2;  \
	VMOVDQU 96(SI), Y3;  \
	VMOVDQU 128(SI), Y4; \
	VMOVDQU 160(SI), Y5; \
	VMOVDQU 192(SI), Y6; \
	VMOVDQU 224(SI), Y7

#define ADDWORD(i, y) \
	VPADDD  (i*32)(SI), y, y; \
	VMOVDQU y, (i*32)(SI)

#define ADDSTATE \
	ADDWORD(0, Y0); \
	ADDWORD(1, Y1); \
	ADDWORD(2, Y2); \
	ADDWORD(3, Y3); \
	ADDWORD(4, Y4); \
	ADDWORD(5, Y5); \
	ADDWORD(6, Y6); \
	ADDWORD(7, Y7)

// COMPRESS is the body of func(s *state, blocks *[lanes]*[blockBytes]byte, constants *[64]uint32) with a frame of sixteen words of eight lanes.
#define COMPRESS \
	MOVQ s+0(FP), SI;          \
	MOVQ blocks+8(FP), DX;     \
	MOVQ constants+16(FP), BX; \
	MOVQ SP, DI;               \
	WORDS8(0, 0);              \
	WORDS8(32, 8);             \
	LOADSTATE;                 \
	ROUNDS8(0);                \
	ROUNDS8(8);                \
	MOVQ $3, CX;               \
next:                          \
	ADDQ $64, BX;              \
	SCHEDULE16;                \
	ROUNDS8(0);                \
	ROUNDS8(8);                \
	DECQ CX;                   \
	JNZ  next;                 \
	ADDSTATE;                  \
	VZEROUPPER;                \
	RET

// flip turns the bytes of words around: they stand in messages with the largest first.
DATA flip<>+0x00(SB)/8, $0x0405060700010203
DATA flip<>+0x08(SB)/8, $0x0c0d0e0f08090a0b
DATA flip<>+0x10(SB)/8, $0x0405060700010203
DATA flip<>+0x18(SB)/8, $0x0c0d0e0f08090a0b
GLOBL flip<>(SB), NOPTR|RODATA, $32
