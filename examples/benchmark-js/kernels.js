// The code under test.

const units = { slower: 1000, faster: 1000, same: 1000 };

function work(count) {
  let x = 7;
  for (let unit = 0; unit < count; unit++) x = (x ^ (x << 13) ^ (x >>> 7) ^ unit) | 0;
  return x;
}

module.exports = { units, work };
