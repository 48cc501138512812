// The code under test.

const UNITS = [1000, 1000, 1000];

export const slower = (seed) => work(seed, UNITS[0]);
export const faster = (seed) => work(seed, UNITS[1]);
export const same = (seed) => work(seed, UNITS[2]);

function work(seed, units) {
  let x = seed;
  for (let unit = 0; unit < units; unit++) x = (x ^ (x << 13) ^ (x >>> 7) ^ unit) | 0;
  return x;
}
