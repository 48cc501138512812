// The code under test.

export const units = { slower: 1000, faster: 1000, same: 1000 };

export function work(count) {
  let x = 7;
  for (let unit = 0; unit < count; unit++) x = (x ^ (x << 13) ^ (x >>> 7) ^ unit) | 0;
  return x;
}
