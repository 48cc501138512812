/* A program that is timed as a whole. Change how much work a word does, and see it in the report. */
#include <stdio.h>
#include <string.h>

enum { SLOWER = 20000000, FASTER = 20000000, SAME = 20000000 };

int main(int count, char **words) {
  const char *word = count > 1 ? words[1] : "same";
  long units = !strcmp(word, "slower") ? SLOWER : !strcmp(word, "faster") ? FASTER : SAME;
  unsigned long x = 1;
  for (long unit = 0; unit < units; unit++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  printf("%lu\n", x);
  return 0;
}
