// A script of tinybench, as it is also run by `node bench/speed.mjs`.

import { Bench } from "tinybench";
import { units, work } from "../kernels.mjs";

const bench = new Bench({ time: 100 });
let made = 0;

bench
  .add("slower", () => work(units.slower))
  .add("faster/[x] (a.b*) \"q\" 's' ü", () => work(units.faster))
  .add("same", () => work(units.same))
  .add("async", async () => work(units.slower))
  .add("hooks", () => work(made), { beforeEach() { made = units.faster; }, afterEach() { made = 0; } })
  .add("fails", () => { throw new Error("on purpose"); })
  .add("n".repeat(300), () => work(units.same));

await bench.run();
console.table(bench.table());
