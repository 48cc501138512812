// Another file, with benchmarks of the same name.

import { bench, describe } from "vitest";
import { units, work } from "../kernels";

describe("group (odd) [x.y]", () => {
  bench("same", () => {
    work(units.same);
  });
});
