// A script of benchmark.js, as it is also run by `node bench/speed.js`.

const Benchmark = require("benchmark");
const { units, work } = require("../kernels");

new Benchmark.Suite("kernels")
  .add("slower", () => work(units.slower))
  .add("faster/[x] (a.b*) \"q\" 's' ü", function () {
    work(units.faster);
  })
  .add("same", () => work(units.same))
  .add("deferred", {
    defer: true,
    fn(deferred) {
      work(units.slower);
      deferred.resolve();
    },
  })
  .add("shared set-up", {
    // benchmark.js makes one function of the three, so that the test sees this variable.
    setup() { const numbers = Array.from({ length: 1000 }, (_, at) => at); },
    fn() { numbers.reduce((sum, number) => (sum ^ number) | 0, 0); },
  })
  .add("fails", () => { throw new Error("on purpose"); })
  .on("cycle", (event) => console.log(String(event.target)))
  .on("complete", function () { console.log(`Fastest is ${this.filter("fastest").map("name")}`); })
  .run({ async: true });
