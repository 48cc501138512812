// A script of mitata, as it is also run by `node bench/speed.mjs`.

import { bench, group, run } from "mitata";
import { units, work } from "../kernels.mjs";

bench("slower", () => work(units.slower));
bench("same", () => work(units.same));
bench("async", async () => work(units.slower));

group("faster/[x] (a.b*) \"q\" 's' ü", () => {
  bench("same", () => work(units.faster));
  bench("size $size", function* (state) {
    const size = state.get("size");
    yield () => work(units.faster * size);
  }).args("size", [1, 2]);
});

bench("fresh", function* () {
  yield {
    [0]() { return units.faster; },
    bench(count) { return work(count); },
  };
});

bench("fails", () => { throw new Error("on purpose"); });

await run();
