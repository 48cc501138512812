// Benchmarks of vitest, as they are also run by `npx vitest bench`.

import { bench, describe } from "vitest";
import { units, work } from "../kernels";

bench("slower", () => {
  work(units.slower);
});

describe("group (odd) [x.y]", () => {
  bench("faster/* \"q\" 's' ü", () => {
    work(units.faster);
  });
  bench("same", () => {
    work(units.same);
  });
});

let count = 0;
bench("async with set-up", async () => {
  work(count);
}, { setup: () => { count = units.slower; } });

bench("fails", () => {
  throw new Error("on purpose");
});

bench.skip("later", () => {});
