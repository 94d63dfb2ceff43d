/* Brute force over every deal, the slow and plain way: the independent check of the exact odds, and their rival in time.
 *
 *   brute_force deals   all 22,100 x 18,424 deals: player category, showdown, decision; bad beats by the lower hand
 *   brute_force sixes   all 20,358,520 sets of six cards by the category of their best five
 *   brute_force ranks   a 32-bit value for each of those sets, in lexicographic order of faces: higher is better
 *
 * A face is 0 .. 51: rank = face % 13 (0 = deuce, 12 = ace), suit = face / 13. Nothing is shared with the product's tables.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- three cards: category, then ranks as ties are broken, one nibble each ---- */

enum { HIGH_CARD, PAIR, FLUSH, STRAIGHT, THREE, STRAIGHT_FLUSH };

static int value3(int a, int b, int c)
{
    int r[3] = {a % 13, b % 13, c % 13};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2 - i; j++)
            if (r[j] < r[j + 1]) { int t = r[j]; r[j] = r[j + 1]; r[j + 1] = t; }
    int suited = a / 13 == b / 13 && b / 13 == c / 13;
    if (r[0] == r[2]) return THREE << 12 | r[0];
    if (r[0] == r[1]) return PAIR << 12 | r[0] << 4 | r[2];
    if (r[1] == r[2]) return PAIR << 12 | r[1] << 4 | r[0];
    int top = r[0] - r[2] == 2 ? r[0] : r[0] == 12 && r[1] == 1 && r[2] == 0 ? 1 : -1;
    if (top >= 0) return (suited ? STRAIGHT_FLUSH : STRAIGHT) << 12 | top;
    return (suited ? FLUSH : HIGH_CARD) << 12 | r[0] << 8 | r[1] << 4 | r[2];
}

static void deals(void)
{
    static struct { uint64_t mask; int value; } hand[22100];
    int n = 0;
    for (int a = 0; a < 52; a++)
        for (int b = a + 1; b < 52; b++)
            for (int c = b + 1; c < 52; c++) {
                hand[n].mask = 1ull << a | 1ull << b | 1ull << c;
                hand[n++].value = value3(a, b, c);
            }
    const int queen_high = HIGH_CARD << 12 | 10 << 8, queen_six_four = queen_high | 4 << 4 | 2;
    const int seven_high_flush = STRAIGHT_FLUSH << 12 | 5;
    static long tally[6][2][4], beat[7];
    for (int i = 0; i < n; i++) {
        const int own = hand[i].value, plays = own >= queen_six_four;
        long *row = tally[own >> 12][plays];
        for (int j = 0; j < n; j++) {
            if (hand[i].mask & hand[j].mask) continue;
            const int dealer = hand[j].value;
            row[dealer < queen_high ? 0 : own > dealer ? 1 : own == dealer ? 2 : 3]++;
            const int lower = own < dealer ? own : dealer;
            if (lower >= PAIR << 12 && own != dealer) beat[lower >= seven_high_flush ? 6 : lower >> 12]++;
        }
    }
    for (int k = 0; k < 6; k++)
        for (int p = 0; p < 2; p++)
            for (int s = 0; s < 4; s++) printf("deal %d %d %d %ld\n", k, p, s, tally[k][p][s]);
    for (int k = 0; k < 7; k++) printf("beat %d %ld\n", k, beat[k]);
}

/* ---- best five of six: the suits' rank masks and the number of each rank ---- */

static int straight_top(unsigned mask)
{
    for (int top = 12; top >= 4; top--)
        if ((mask >> (top - 4) & 31) == 31) return top;
    return (mask & 0x100f) == 0x100f ? 3 : -1;
}

static uint32_t pack(unsigned category, const int *ranks, int count)
{
    uint32_t value = category;
    for (int i = 0; i < 5; i++) value = value << 4 | (unsigned)(i < count ? ranks[i] : 0);
    return value;
}

static uint32_t value6(const int *faces)
{
    int count[13] = {0}, by[5][13], many[5] = {0}, ranks[13];
    unsigned suit[4] = {0}, held = 0;
    for (int i = 0; i < 6; i++) {
        suit[faces[i] / 13] |= 1u << faces[i] % 13;
        held |= 1u << faces[i] % 13;
        count[faces[i] % 13]++;
    }
    for (int s = 0; s < 4; s++)
        if (__builtin_popcount(suit[s]) >= 5) {
            int top = straight_top(suit[s]), n = 0;
            if (top >= 0) return pack(top == 12 ? 9 : 8, &top, 1);
            for (int r = 12; r >= 0; r--)
                if (suit[s] >> r & 1) ranks[n++] = r;
            return pack(5, ranks, 5);
        }
    for (int r = 12; r >= 0; r--)
        if (count[r]) by[count[r]][many[count[r]]++] = r;
    if (many[4]) {
        int kicker = many[2] ? by[2][0] : by[1][0], both[2] = {by[4][0], kicker};
        return pack(7, both, 2);
    }
    if (many[3] == 2 || (many[3] && many[2])) {
        int both[2] = {by[3][0], many[3] == 2 ? by[3][1] : by[2][0]};
        return pack(6, both, 2);
    }
    int top = straight_top(held);
    if (top >= 0) return pack(4, &top, 1);
    if (many[3]) {
        int three[3] = {by[3][0], by[1][0], by[1][1]};
        return pack(3, three, 3);
    }
    if (many[2] >= 2) {
        int kicker = many[1] ? by[1][0] : -1;
        if (many[2] == 3 && by[2][2] > kicker) kicker = by[2][2];
        int three[3] = {by[2][0], by[2][1], kicker};
        return pack(2, three, 3);
    }
    if (many[2]) {
        int four[4] = {by[2][0], by[1][0], by[1][1], by[1][2]};
        return pack(1, four, 4);
    }
    return pack(0, by[1], 5);
}

static void sixes(int write)
{
    static uint32_t buffer[1 << 16];
    size_t filled = 0;
    long tally[10] = {0};
    int f[6];
    for (f[0] = 0; f[0] < 52; f[0]++)
    for (f[1] = f[0] + 1; f[1] < 52; f[1]++)
    for (f[2] = f[1] + 1; f[2] < 52; f[2]++)
    for (f[3] = f[2] + 1; f[3] < 52; f[3]++)
    for (f[4] = f[3] + 1; f[4] < 52; f[4]++)
    for (f[5] = f[4] + 1; f[5] < 52; f[5]++) {
        const uint32_t value = value6(f);
        tally[value >> 20]++;
        if (!write) continue;
        buffer[filled++] = value;
        if (filled == sizeof buffer / sizeof *buffer) {
            if (fwrite(buffer, sizeof *buffer, filled, stdout) != filled) exit(1);
            filled = 0;
        }
    }
    if (write) {
        if (fwrite(buffer, sizeof *buffer, filled, stdout) != filled) exit(1);
        return;
    }
    for (int k = 0; k < 10; k++) printf("six %d %ld\n", k, tally[k]);
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "deals")) deals();
    else if (argc == 2 && !strcmp(argv[1], "sixes")) sixes(0);
    else if (argc == 2 && !strcmp(argv[1], "ranks")) sixes(1);
    else return fprintf(stderr, "usage: brute_force deals|sixes|ranks\n"), 2;
    return 0;
}
