// A worker for bench-action in one file, without dependencies: copy it and change `benchmarks`.
// The protocol is told in docs/worker.md of bench-action.

import { readFileSync, readSync, writeSync } from "node:fs";
import * as kernels from "./kernels.mjs";

// Name, and what one call does.
const benchmarks = [
  ["sum of squares", () => kernels.slower(7)],
  ['hash/"fnv" [a.b*]', () => kernels.faster(7)],
  ["straße", () => kernels.same(7)],
  ["fails", () => { throw new Error("on purpose"); }],
];

// What a call gives is kept, so that the compiler cannot do without the call.
export let kept;

/** Slices of `loops` calls until there are enough of them. */
function measure(call, { loops, slices: most, min_slices, cpu_ns, lead_in_ns }) {
  const slices = [];
  let spent = 0;
  while (slices.length < most) {
    const started = cpu();
    while (cpu() - started < lead_in_ns) kept = call();
    const [delay, switches, wall] = [runDelay(), voluntarySwitches(), process.hrtime.bigint()];
    // The clock that counts is read last and first: nothing of ours is between.
    const before = cpu();
    for (let i = 0; i < loops; i++) kept = call();
    const used = cpu() - before;
    const took = Number(process.hrtime.bigint() - wall);
    const switched = voluntarySwitches() - switches;
    const waited = delay === null ? null : runDelay() - delay;
    // V8's own threads are part of the work: the CPU time is that of the process, for the thread too.
    slices.push([used, took, used, waited, switched]);
    spent += used;
    if (slices.length >= min_slices && spent >= cpu_ns) break;
  }
  return { slices };
}

/** The compiler gets its time before anything is measured. */
function warmedUp(call) {
  const started = cpu();
  do kept = call(); while (cpu() - started < 50e6);
  return { opened: { pid: process.pid } };
}

let opened;
function answer(request) {
  switch (request.op) {
    case "list":
      return { list: { protocol: 1, benchmarks: benchmarks.map(([name], index) => ({ name, index })) } };
    case "open":
      opened = benchmarks[request.index][1];
      return warmedUp(opened);
    case "measure":
      return measure(opened, request);
    case "close":
      return { closed: { max_rss_bytes: process.resourceUsage().maxRSS * 1024 } };
  }
  throw new Error(`unknown request ${request.op}`);
}

/** CPU time of this process, nanoseconds. */
function cpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1000;
}

/** Nanoseconds that this thread was ready to run and had to wait for a core (Linux). */
function runDelay() {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ")[1]);
  } catch {
    return null;
  }
}

/** How often this process gave up its core: it waits for something. */
function voluntarySwitches() {
  return process.resourceUsage().voluntaryContextSwitches;
}

const channel = Number(process.env.BENCH_ACTION_CHANNEL);
let buffered = Buffer.alloc(0);
for (;;) {
  const end = buffered.indexOf(10);
  if (end < 0) {
    const piece = Buffer.alloc(1 << 16);
    const length = readSync(channel, piece);
    if (length === 0) break;
    buffered = Buffer.concat([buffered, piece.subarray(0, length)]);
    continue;
  }
  const request = JSON.parse(buffered.subarray(0, end).toString());
  buffered = buffered.subarray(end + 1);
  if (request.op === "quit") break;
  let reply;
  try {
    reply = answer(request);
  } catch (error) {
    reply = { failed: { stage: "run", message: String(error), details: String(error?.stack) } };
  }
  writeSync(channel, JSON.stringify(reply) + "\n");
}
