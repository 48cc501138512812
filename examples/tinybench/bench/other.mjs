// Another script, with a benchmark of the same name.

import { Bench } from "tinybench";
import { units, work } from "../kernels.mjs";

async function main() {
  const bench = new Bench({ name: "group", time: 100 });
  bench.add("same", () => work(units.same));
  await new Promise((done) => setTimeout(done, 5));
  await bench.run();
  process.exit(0);
}

main();
