// The JavaScript worker: runs scripts as they are, and measures what they give to their framework.
//
//     node worker.mjs TOOL DIRECTORY COUNT SCRIPTS... ARGUMENTS...
//
// The framework's own `run` is replaced. While listing it only notes the benchmarks; after `open` the script is
// run until it comes to the one that was asked for, which is then served from within `run`: what the script has
// set up stands, and what it does afterwards never happens. A process serves one benchmark.
//
// vitest finds its files itself: the one script that it may be given is its configuration.
//
// It waits for requests without turning the event loop: nothing of this side runs while it is the other's turn.

import { createRequire } from "node:module";
import { existsSync, readFileSync, readSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isMainThread } from "node:worker_threads";
import * as nodeModule from "node:module";

const { cpuUsage, resourceUsage, hrtime } = process;
const now = () => Number(hrtime.bigint());
/** CPU time of the process, nanoseconds: V8's own threads are part of the work. */
const cpu = () => {
  const { user, system } = cpuUsage.call(process);
  return (user + system) * 1000;
};

// -- The channel -----------------------------------------------------------------------------------------

/** Lines of JSON on a descriptor, without the event loop. */
export class Channel {
  constructor(descriptor) {
    this.descriptor = descriptor;
    this.buffered = Buffer.alloc(0);
  }

  /** The next request; null at the end of the stream. */
  receive() {
    for (;;) {
      const end = this.buffered.indexOf(10);
      if (end >= 0) {
        const line = this.buffered.subarray(0, end).toString();
        this.buffered = this.buffered.subarray(end + 1);
        return JSON.parse(line);
      }
      const piece = Buffer.alloc(1 << 16);
      const length = readSync(this.descriptor, piece);
      if (length === 0) return null;
      this.buffered = Buffer.concat([this.buffered, piece.subarray(0, length)]);
    }
  }

  send(reply) {
    let data = Buffer.from(JSON.stringify(reply) + "\n");
    while (data.length > 0) data = data.subarray(writeSync(this.descriptor, data));
  }
}

/** How our own frames are known in a trace, as a path or as an address. */
const OWN = import.meta.url.split("/").slice(-2).join("/");

export function failed(stage, error) {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const message = (text.split("\n").find((line) => line.trim()) ?? "").slice(0, 500);
  const lines = String(error?.stack ?? text).split("\n").filter((line) => !line.includes(OWN));
  const details = lines.join("\n").slice(0, 20000);
  return { failed: { stage, message, details } };
}

// -- Timed code ------------------------------------------------------------------------------------------

// Both loops call through a place that has met several functions: the compiler cannot pull the benchmark into the
// loop, and do without what it computes.

function repeat(call, loops) {
  let last;
  for (let i = 0; i < loops; i++) last = call();
  return last;
}

async function repeatAwaiting(call, loops) {
  let last;
  for (let i = 0; i < loops; i++) last = await call();
  return last;
}

for (const call of [() => 1, () => "2", () => null, () => [3], () => ({}), () => undefined]) {
  repeat(call, 2);
  await repeatAwaiting(call, 2);
}

const isThenable = (value) => typeof value?.then === "function";

function runDelay() {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ")[1]);
  } catch {
    return null;
  }
}

/**
 * A benchmark that stands ready.
 *
 * `call` is what is measured. `around` has functions `before` and `after` for each call, `args` one that makes each
 * call's arguments; `told` says that the call returns how many nanoseconds count; `steps` is for a function that
 * loops itself over what it is given.
 */
class Measured {
  constructor({ call, around, args, told, steps, tearDown }) {
    Object.assign(this, { call, around, args, told, steps, tearDown });
    this.isAsync = false;
    // What reading the clocks around one call adds to its wall time only.
    this.reading = 0;
  }

  /** Until the compiler has had its time; the first call tells whether to wait for each. */
  async warmUp() {
    if (this.around || this.args || this.told) {
      const [used, took] = await new Measured({ call: () => 1, around: {} }).oneByOne(2000);
      this.reading = Math.max(0, took - used) / 2000;
    }
    const [started, wall] = [cpu(), now()];
    let loops = 1;
    do {
      const slice = await this.slice(loops);
      if (slice[1] < 2e6) loops *= 2;
    } while (cpu() - started < 50e6 && now() - wall < 250e6);
  }

  async measure({ loops, slices: most, min_slices, cpu_ns, lead_in_ns }) {
    const slices = [];
    let [used, took] = [0, 0];
    while (slices.length < most) {
      const started = cpu();
      while (cpu() - started < lead_in_ns) await this.slice(Math.max(1, loops >> 3));
      const slice = await this.slice(loops);
      slices.push(slice);
      used += slice[0];
      took += slice[1];
      if (slices.length >= min_slices && (used >= cpu_ns || took >= 5 * cpu_ns)) break;
    }
    return { slices };
  }

  async slice(loops) {
    const [switches, delay] = [resourceUsage.call(process).voluntaryContextSwitches, runDelay()];
    const [used, took] = await this.timed(loops);
    const waited = delay === null ? null : runDelay() - delay;
    // A thread cannot use more than the wall: only where much more was used than by a thread and V8's helpers, the
    // benchmark has threads of its own.
    const thread = used > 1.5 * took ? took : used;
    const given = resourceUsage.call(process).voluntaryContextSwitches - switches;
    return [used, took, thread, waited, given].map((value) => value && Math.round(value));
  }

  /** CPU and wall time of so many calls, nanoseconds. */
  async timed(loops) {
    if (this.steps) return this.stepped(loops);
    if (this.around || this.args || this.told) return this.oneByOne(loops);
    const { call } = this;
    if (!this.isAsync) {
      const [wall, before] = [now(), cpu()];
      const last = repeat(call, loops);
      const used = cpu() - before;
      const took = now() - wall;
      if (!isThenable(last)) return [used, took];
      // The first call has told: its promise is awaited, and the slice begins anew.
      this.isAsync = true;
      await last;
    }
    const [wall, before] = [now(), cpu()];
    await repeatAwaiting(call, loops);
    return [cpu() - before, now() - wall];
  }

  /** Only the calls are timed, not what goes around them. */
  async oneByOne(loops) {
    const { call, around, args, told } = this;
    let [used, took] = [0, 0];
    for (let i = 0; i < loops; i++) {
      const ready = around?.before?.();
      if (isThenable(ready)) await ready;
      let given = args ? args.map((make) => make()) : [];
      if (given.some(isThenable)) given = await Promise.all(given);
      const [wall, before] = [now(), cpu()];
      let result = call(...given);
      if (isThenable(result)) result = await result;
      const [one, whole] = [cpu() - before, Math.max(now() - wall, 1)];
      // Of what the call says to have taken, so much is CPU time as of the whole call.
      used += told ? (Number(result) * one) / whole : one;
      took += told ? Number(result) : Math.max(whole - this.reading, one);
      const over = around?.after?.();
      if (isThenable(over)) await over;
    }
    return [used, took];
  }

  /** The function takes steps until there are no more; the first begins the measurement. */
  async stepped(loops) {
    let left = loops;
    let [begin, end] = [null, null];
    const clocks = () => [now(), cpu()];
    const next = () => {
      if (left === loops && begin === null) begin = clocks();
      if (left-- > 0) return { done: false, value: undefined };
      end = clocks();
      return { done: true, value: undefined };
    };
    const result = this.steps({ next });
    if (isThenable(result)) await result;
    if (begin === null || end === null) throw new Error("the benchmark did not take all of its steps");
    return [end[1] - begin[1], end[0] - begin[0]];
  }
}

// -- Serving ---------------------------------------------------------------------------------------------

export function end() {
  // Also from a thread, also past handlers of the script's.
  process.kill(process.pid, "SIGKILL");
}

/** Opens a benchmark and answers requests until the process ends. */
export async function serve(channel, open) {
  let measured;
  let problem = null;
  const noted = (error) => (problem ??= error);
  process.on("uncaughtException", noted);
  process.on("unhandledRejection", noted);
  const started = now();
  try {
    measured = new Measured(await open());
    const setup_ns = now() - started;
    await measured.warmUp();
    channel.send({ opened: { pid: process.pid, setup_ns } });
  } catch (error) {
    channel.send(failed("run", error));
  }
  for (;;) {
    const request = channel.receive();
    if (request === null || request.op === "quit") end();
    let reply;
    try {
      reply = await answer(measured, request);
    } catch (error) {
      noted(error);
    }
    // What went wrong outside of a call counts as well.
    channel.send(problem === null ? reply : failed("run", problem));
    problem = null;
  }
}

async function answer(measured, request) {
  if (request.op === "close") {
    await measured?.tearDown?.();
    return { closed: { max_rss_bytes: resourceUsage.call(process).maxRSS * 1024 } };
  }
  if (request.op === "measure" && measured) return measured.measure(request);
  return { failed: { stage: "run", message: `\`${request.op}\` is not served here` } };
}

// -- What is found ---------------------------------------------------------------------------------------

/** Notes benchmarks in the order in which they are met; opens the one that is wanted. */
export class Session {
  constructor(channel) {
    this.channel = channel;
    this.wanted = null;
    this.rows = [];
    this.broken = [];
    this.warnings = [];
    this.counts = new Map();
    this.script = "";
    this.isServing = false;
  }

  /** A benchmark was met; never returns if it is the one. `open` gives the parts of a `Measured`. */
  async met(groups, name, params, open) {
    const path = [...groups.filter(Boolean), name].map(String).join(" > ");
    let full = `${this.script}::${path || "(unnamed)"}`;
    const count = this.counts.get(full) ?? 0;
    this.counts.set(full, count + 1);
    if (count > 0 && params.length === 0) full += ` #${count + 1}`;
    const index = params.length === 0 ? 0 : count;
    if (this.wanted === null) {
      this.rows.push({ name: full, index, params });
    } else if (this.wanted.benchmark === full && this.wanted.index === index) {
      this.isServing = true;
      await serve(this.channel, open);
    }
  }

  listing() {
    const { rows: benchmarks, broken, warnings } = this;
    return { list: { protocol: 1, benchmarks, broken, warnings: [...new Set(warnings)] } };
  }
}

// -- The frameworks --------------------------------------------------------------------------------------

/** What a script gets by this name, as a module and as what `require` gives. */
async function instances(name, script) {
  const found = new Set();
  let problem = null;
  for (const load of [
    () => import(import.meta.resolve(name, pathToFileURL(script))),
    () => createRequire(script)(name),
  ]) {
    try {
      found.add(await load());
    } catch (error) {
      problem ??= error;
    }
  }
  if (found.size === 0) throw new Error(`\`${name}\` cannot be loaded: ${problem?.message}`);
  return found;
}

function once(place, key, make) {
  const mark = Symbol.for(`bench-action ${key}`);
  if (!place || Object.hasOwn(place, mark) || typeof place[key] !== "function") return;
  Object.defineProperty(place, mark, { value: true });
  place[key] = make(place[key]);
}

const tools = {
  async tinybench(session, script) {
    const given = new WeakMap();
    const tasks = (bench) => given.get(bench) ?? given.set(bench, new Map()).get(bench);
    const meetAll = async (bench) => {
      for (const [name, { fn, options }] of tasks(bench)) {
        await session.met([bench.name], name, [], () => openTinybench(bench, name, fn, options));
      }
      return bench.tasks;
    };
    for (const { Bench } of await instances("tinybench", script)) {
      const { prototype } = Bench;
      once(prototype, "add", (add) => function (name, fn, options = {}) {
        tasks(this).set(name, { fn, options });
        // Some versions would call it once, to see whether it is asynchronous.
        return add.call(this, name, fn, { ...options, async: options.async ?? false });
      });
      once(prototype, "remove", (remove) => function (name) {
        tasks(this).delete(name);
        return remove.call(this, name);
      });
      for (const run of ["run", "runSync"]) once(prototype, run, () => function () {
        const met = meetAll(this);
        return run === "run" ? met : this.tasks;
      });
      for (const warmUp of ["warmup", "warmupSync"]) once(prototype, warmUp, () => function () {});
    }
  },

  async "benchmark.js"(session, script) {
    for (const loaded of await instances("benchmark", script)) {
      const Benchmark = loaded.default ?? loaded;
      const meet = (group, bench) => session.met([group], bench.name, [], () => openBenchmarkJs(bench));
      once(Benchmark.prototype, "run", () => function () {
        meet(null, this);
        return this;
      });
      once(Benchmark.Suite?.prototype, "run", () => function () {
        (async () => {
          for (const bench of Array.from(this)) await meet(this.name, bench);
        })();
        return this;
      });
    }
  },

  async mitata(session) {
    globalThis[Symbol.for("bench-action mitata")] = async (collections) => {
      for (const { name: group, trials } of collections) {
        for (const trial of trials) await meetMitata(session, group, trial);
      }
      return { layout: [], context: {}, benchmarks: [] };
    };
    takeOverMitata();
  },
};

async function openTinybench(bench, name, fn, options) {
  const task = bench.getTask(name);
  await bench.setup?.(task, "run");
  const opened = await openTask(task, fn, options);
  const tearDown = async () => {
    await opened.tearDown();
    await bench.teardown?.(task, "run");
  };
  return { ...opened, tearDown };
}

/** A function with the hooks of tinybench. */
async function openTask(task, fn, options) {
  await options.beforeAll?.call(task, "run");
  const hook = (called) => called && (() => called.call(task, "run"));
  const around = options.beforeEach || options.afterEach
    ? { before: hook(options.beforeEach), after: hook(options.afterEach) }
    : undefined;
  const tearDown = () => options.afterAll?.call(task, "run");
  return { call: () => fn.call(task), around, tearDown };
}

/** Set-up and tear-down go around each slice; where the test uses their variables, all three are one function. */
function openBenchmarkJs(bench) {
  // Of a function its statements; none where it has no block.
  const block = /^(?:function\b[^{]*|\([^()]*\)\s*=>\s*|[\w$]+\([^()]*\)\s*)\{([^]*)\}$/;
  const text = (part) => (typeof part === "function" ? block.exec(String(part))?.[1] : String(part ?? ""));
  const isEmpty = (part) => text(part)?.replace(/\/\/.*|\/\*[^]*?\*\//g, "").trim() === "";
  if (bench.defer) {
    const call = () => new Promise((settle) => {
      bench.fn.call(bench, { benchmark: bench, resolve: settle, elapsed: 0, cycles: 0 });
    });
    return { call };
  }
  const { fn, setup, teardown } = bench;
  if (typeof fn === "function" && isEmpty(setup) && isEmpty(teardown)) return { call: () => fn.call(bench) };
  const parts = [setup, fn, teardown].map(text);
  const source = `return function (steps) {
    ${parts[0]}
    ;while (!steps.next().done) { ${parts[1]} }
    ${parts[2]}
  }`;
  try {
    if (parts.includes(undefined)) throw new TypeError("a part of the test has no block");
    const steps = new Function("require", "global", source)(createRequire(process.argv[1]), globalThis);
    const compiled = (given) => steps.call(bench, given);
    compiled({ left: 1, next() { return { done: this.left-- <= 0 }; } });
    return { steps: compiled };
  } catch (error) {
    if (typeof fn !== "function") throw error;
    const steps = (given) => {
      if (typeof setup === "function") setup.call(bench);
      while (!given.next().done) fn.call(bench);
      if (typeof teardown === "function") teardown.call(bench);
    };
    return { steps };
  }
}

// mitata

/** mitata's benchmarks are reached from within its own `run` only. */
function patchMitata(source) {
  const opening = /export async function run\([^)]*\)\s*\{/;
  if (!source.includes("COLLECTIONS") || !opening.test(source)) {
    throw new Error("this version of mitata is not known here; those from 1.0.10 on are");
  }
  const taken = 'if (globalThis[Symbol.for("bench-action mitata")]) {'
    + ' const met = await globalThis[Symbol.for("bench-action mitata")](COLLECTIONS);'
    + " COLLECTIONS = [{ id: 0, name: null, types: [], trials: [] }]; return met; }";
  return source.replace(opening, (found) => `${found} ${taken}`);
}

const isMitata = (url) => /\/node_modules\/mitata\/src\/(main|cli)\.m?js$/.test(url);

function takeOverMitata() {
  if (nodeModule.registerHooks) {
    nodeModule.registerHooks({
      load(url, context, next) {
        const loaded = next(url, context);
        return isMitata(url) ? { ...loaded, source: patchMitata(String(loaded.source)) } : loaded;
      },
    });
    return;
  }
  const hooks = `const isMitata = ${isMitata}; ${patchMitata};
    export async function load(url, context, next) {
      const loaded = await next(url, context);
      return isMitata(url) ? { ...loaded, source: patchMitata(String(loaded.source)) } : loaded;
    }`;
  nodeModule.register(`data:text/javascript,${encodeURIComponent(hooks)}`);
}

async function meetMitata(session, group, trial) {
  const keys = Object.keys(trial._args ?? {});
  let runs = [{}];
  // The first argument changes fastest, as mitata has it.
  for (const key of [...keys].reverse()) {
    runs = runs.flatMap((run) => trial._args[key].map((value) => ({ [key]: value, ...run })));
  }
  const isTold = keys.every((key) => trial._name.includes(`$${key}`));
  for (const args of runs) {
    const name = keys.reduce((name, key) => name.replaceAll(`$${key}`, args[key]), trial._name);
    const params = isTold ? [] : keys.map((key) => ({ name: key, value: String(args[key]) }));
    await session.met([group], name, params, () => openMitata(trial.f, args));
  }
}

async function openMitata(f, args) {
  const get = (name) => args[name];
  const isGenerator = ["GeneratorFunction", "AsyncGeneratorFunction"].includes(f.constructor.name);
  if (!isGenerator && f.length === 0) return { call: () => f() };
  if (!isGenerator) {
    const steps = ({ next }) =>
      f({ get, [Symbol.iterator]: () => ({ next }), [Symbol.asyncIterator]: () => ({ next }) });
    return { steps };
  }
  const generator = f({ get });
  const { value } = await generator.next();
  const tearDown = () => generator.next();
  if (typeof value === "function") return { call: () => value(), tearDown };
  const call = value?.bench ?? value?.manual;
  if (typeof call !== "function") throw new TypeError("the generator yields nothing that can be called");
  const makers = Array.from({ length: call.length }, (_, at) => value[at]);
  return {
    call: (...given) => call(...given),
    args: makers.length > 0 ? makers : undefined,
    told: Boolean(value.manual),
    tearDown,
  };
}

// -- vitest ----------------------------------------------------------------------------------------------

// vitest runs itself: it finds the files, transforms them, and runs them in a thread of this process. Ours is what
// measures in that thread: a runner up to vitest 4, a provider from vitest 5 on. Either serves what it comes to.

const PROVIDER = `const { vitestProvider } = await import(/* @vite-ignore */ process.env.BENCH_ACTION_WORKER);
export default vitestProvider();
`;

const RUNNER = `const { runners, suite } = JSON.parse(process.env.BENCH_ACTION_VITEST);
const { NodeBenchmarkRunner } = await import(/* @vite-ignore */ runners);
const { getBenchFn, getBenchOptions } = await import(/* @vite-ignore */ suite);
const { vitestRunner } = await import(/* @vite-ignore */ process.env.BENCH_ACTION_WORKER);
export default vitestRunner(NodeBenchmarkRunner, getBenchFn, getBenchOptions);
`;

/** The name of a task and its suites, below its file. */
function vitestName(task) {
  const names = [];
  for (let at = task; at && at !== at.file && at.type !== undefined; at = at.suite) {
    if (at !== task.file) names.unshift(at.name);
  }
  return names.join(" > ");
}

/** Benchmarks of a file or suite, in order. */
function* vitestBenchmarks(suite) {
  for (const task of suite.tasks) {
    if (task.meta?.benchmark) yield task;
    else if (task.type === "suite") yield* vitestBenchmarks(task);
  }
}

/** A file's tests, in order. */
function* vitestTests(suite) {
  for (const task of suite.tasks) {
    if (task.type === "suite") yield* vitestTests(task);
    else yield task;
  }
}

/** What vitest's own thread is to come to; null while listing. */
function wantedInThread() {
  const wanted = JSON.parse(process.env.BENCH_ACTION_WANTED ?? "null");
  const session = wanted && new Session(new Channel(wanted.channel));
  if (session) session.wanted = wanted;
  return session;
}

/** Runs in vitest's own thread. */
export function vitestProvider() {
  const session = wantedInThread();
  const none = { mean: 0, min: 0, max: 0, p50: 0, p75: 0, p99: 0, p995: 0, p999: 0, rme: 0, samplesCount: 0 };
  const result = (name) => ({ name, latency: none, throughput: none, period: 0, totalTime: 0, state: "completed" });
  return {
    async run({ test, registrations }) {
      if (session) session.script = relative(process.cwd(), test.file.filepath);
      for (const { name, fn, fnOpts } of registrations) {
        await session?.met([vitestName(test)], name, [], () => openTask(test, fn, fnOpts ?? {}));
      }
      return registrations.map(({ name }) => result(name));
    },
  };
}

/** Runs in vitest's own thread. */
export function vitestRunner(Runner, getBenchFn, getBenchOptions) {
  const session = wantedInThread();
  return class extends Runner {
    async runSuite(file) {
      if (session === null || file !== file.file) return;
      session.script = relative(process.cwd(), file.filepath);
      for (const task of vitestBenchmarks(file)) {
        await session.met([], vitestName(task), [], async () => {
          const { setup, teardown } = getBenchOptions(task) ?? {};
          return openTask(task, getBenchFn(task), {
            beforeAll: () => setup?.(task, "run"),
            afterAll: () => teardown?.(task, "run"),
          });
        });
      }
    }
  };
}

async function withVitest(config, filters, use) {
  const project = pathToFileURL(resolve("package.json"));
  const { startVitest, version = "2" } = await import(import.meta.resolve("vitest/node", project));
  const major = Number(version.split(".")[0]);
  if (!(major >= 3)) throw new Error(`vitest ${version} is too old: 3 or later is needed`);
  const [name, text] = major < 5 ? ["runner.mjs", RUNNER] : ["provider.mjs", PROVIDER];
  const ours = fileURLToPath(new URL(name, import.meta.url));
  if (!existsSync(ours)) {
    writeFileSync(`${ours}.${process.pid}`, text);
    renameSync(`${ours}.${process.pid}`, ours);
  }
  process.env.BENCH_ACTION_WORKER = import.meta.url;
  if (major < 5) {
    const [runners, suite] = ["runners", "suite"].map((part) => import.meta.resolve(`vitest/${part}`, project));
    process.env.BENCH_ACTION_VITEST = JSON.stringify({ runners, suite });
  }
  const reporters = [{}];
  const own = {
    3: { runner: ours, benchmark: { reporters }, poolOptions: { threads: { singleThread: true } } },
    4: { runner: ours, benchmark: { reporters } },
    5: { benchmarkOnly: true, benchmark: { enabled: true, provider: ours } },
  };
  const vitest = await startVitest(major < 5 ? "benchmark" : "test", filters, {
    root: process.cwd(),
    config,
    run: true,
    watch: false,
    pool: "threads",
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 0,
    hookTimeout: 0,
    coverage: { enabled: false },
    reporters,
    ...own[Math.min(major, 5)],
  });
  const found = use(vitest, major);
  await vitest.close();
  return found;
}

async function listVitest(session, config) {
  return withVitest(config, [], (vitest, major) => {
    for (const file of vitest.state.getFiles()) {
      session.script = relative(process.cwd(), file.filepath);
      if (major < 5) {
        for (const task of vitestBenchmarks(file)) {
          session.met([], vitestName(task), [], null);
          if (task.mode !== "run") session.rows.at(-1).skip = `marked \`${task.mode}\``;
        }
      } else {
        listTests(session, file);
      }
      for (const error of file.result?.errors ?? []) session.broken.push(brokenBy(session.script, error));
    }
    return session.listing();
  });
}

/** Since vitest 5 a test runs benchmarks while it runs; what it expects of their results is not asked here. */
function listTests(session, file) {
  for (const test of vitestTests(file)) {
    const tasks = (test.benchmarks ?? []).flatMap((benchmark) => benchmark.tasks);
    for (const { name } of tasks.filter((task) => !task.fromStore)) {
      session.met([vitestName(test)], name, [], null);
    }
    const error = tasks.length === 0 && test.result?.errors?.[0];
    if (error) session.broken.push(brokenBy(`${session.script}::${vitestName(test)}`, error));
  }
}

function brokenBy(module, error) {
  const details = String(error.stackStr ?? error.stack ?? error.message);
  return { module, message: String(error.message).split("\n")[0], details };
}

async function openVitest(channel, config, request) {
  const script = request.benchmark.split("::")[0];
  process.env.BENCH_ACTION_WANTED = JSON.stringify({ ...request, channel: channel.descriptor });
  return withVitest(config, [resolve(script)], (vitest) => {
    const error = vitest.state.getFiles().flatMap((file) => file.result?.errors ?? [])[0];
    return failed("import", error?.message ?? "its file has ended without it");
  });
}

// -- Scripts ---------------------------------------------------------------------------------------------

/** A script that ends its process by itself. */
class Ended extends Error {}

/** Runs a script until nothing is left to do, or until it has had its time. */
async function run(session, tool, script) {
  session.script = script;
  const file = resolve(script);
  let problem = null;
  const noted = (error) => {
    if (!(error instanceof Ended)) problem ??= error;
  };
  process.on("uncaughtException", noted);
  process.on("unhandledRejection", noted);
  const drained = new Promise((settle) => process.once("beforeExit", settle));
  try {
    await tools[tool](session, file);
    const imported = import(pathToFileURL(file)).then(() => "imported", noted);
    // Its benchmarks may run from a function that nobody waits for.
    if ((await Promise.race([imported, drained])) === "imported") {
      const patience = session.rows.some((row) => row.name.startsWith(`${script}::`)) ? 2000 : 20000;
      await Promise.race([drained, new Promise((settle) => setTimeout(settle, patience).unref())]);
    }
  } catch (error) {
    noted(error);
  }
  // The requests are answered elsewhere now.
  if (session.isServing) await new Promise(() => {});
  process.off("uncaughtException", noted);
  process.off("unhandledRejection", noted);
  return problem;
}

async function list(session, tool, scripts) {
  if (tool === "vitest") return listVitest(session, scripts[0]);
  for (const script of scripts) {
    const before = session.rows.length;
    const problem = await run(session, tool, script);
    if (problem && session.rows.length > before) {
      // What reads the results finds none.
      session.warnings.push(`${script} ended with an error after its benchmarks were found: ${problem?.message}`);
    } else if (problem) {
      const { message, details } = failed("import", problem).failed;
      session.broken.push({ module: script, message, details });
    } else if (session.rows.length === before) {
      session.warnings.push(`${script} runs no benchmarks of ${tool}`);
    }
  }
  return session.listing();
}

async function open(session, tool, scripts, request) {
  if (tool === "vitest") return openVitest(session.channel, scripts[0], request);
  session.wanted = request;
  const script = scripts.find((script) => request.benchmark.startsWith(`${script}::`));
  if (script === undefined) return failed("import", "no script has it");
  const problem = await run(session, tool, script);
  return failed("import", problem ?? "the script has ended without it");
}

async function main() {
  const [tool, directory, count, ...rest] = process.argv.slice(2);
  const scripts = rest.slice(0, Number(count));
  const channel = new Channel(Number(process.env.BENCH_ACTION_CHANNEL));
  delete process.env.BENCH_ACTION_CHANNEL;
  process.chdir(directory);
  const session = new Session(channel);
  if (tool !== "vitest") {
    process.exit = () => {
      throw new Ended("the script ends its process");
    };
  }
  process.argv.splice(1, process.argv.length, resolve(scripts[0] ?? "."), ...rest.slice(Number(count)));
  for (;;) {
    const request = channel.receive();
    if (request === null || request.op === "quit") end();
    else if (request.op === "list") await answerWith(channel, "list", list(session, tool, scripts));
    else if (request.op === "open") await answerWith(channel, "import", open(session, tool, scripts, request));
    else if (request.op === "close") channel.send({ closed: {} });
    else channel.send({ failed: { stage: "run", message: "no benchmark is open" } });
  }
}

async function answerWith(channel, stage, reply) {
  channel.send(await reply.catch((error) => failed(stage, error)));
}

if (isMainThread) await main();
