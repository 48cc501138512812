// A worker for bench-action in one file, without dependencies: copy it and change benchmarks.
// The protocol is told in docs/worker.md of bench-action.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

// Name, and what one call does.
var benchmarks = []struct {
	name string
	call func()
}{
	{"sum of squares", func() { kept = slower(7) }},
	{`hash/"fnv" [a.b*]`, func() { kept = faster(7) }},
	{"straße", func() { kept = same(7) }},
	{"fails", func() { panic("on purpose") }},
}

// What a call gives is kept, so that the compiler cannot do without the call.
var kept uint64

type request struct {
	Op        string
	Index     int
	Loops     uint64
	Slices    int
	MinSlices int    `json:"min_slices"`
	CPU       uint64 `json:"cpu_ns"`
	LeadIn    uint64 `json:"lead_in_ns"`
}

type object map[string]any

func main() {
	// The clock of one thread counts one thread's work.
	runtime.LockOSThread()
	schedule, _ = syscall.Open("/proc/thread-self/schedstat", syscall.O_RDONLY, 0)
	number, err := strconv.Atoi(os.Getenv("BENCH_ACTION_CHANNEL"))
	if err != nil {
		panic("started by bench-action, not by hand")
	}
	channel := os.NewFile(uintptr(number), "channel")
	answers := json.NewEncoder(channel)
	requests := bufio.NewReader(channel)
	opened := -1
	for {
		line, err := requests.ReadBytes('\n')
		var asked request
		if err != nil || json.Unmarshal(line, &asked) != nil || asked.Op == "quit" {
			return
		}
		if err := answers.Encode(answer(asked, &opened)); err != nil {
			return
		}
	}
}

func answer(asked request, opened *int) (reply object) {
	defer func() {
		if problem := recover(); problem != nil {
			reply = object{"failed": object{"stage": "run", "message": fmt.Sprint(problem)}}
		}
	}()
	switch asked.Op {
	case "list":
		rows := []object{}
		for index, benchmark := range benchmarks {
			rows = append(rows, object{"name": benchmark.name, "index": index})
		}
		return object{"list": object{"protocol": 1, "benchmarks": rows}}
	case "open":
		*opened = asked.Index
		benchmarks[*opened].call()
		return object{"opened": object{}}
	case "measure":
		return object{"slices": measure(benchmarks[*opened].call, asked)}
	case "close":
		return object{"closed": object{}}
	}
	panic("unknown request " + asked.Op)
}

// measure runs slices of so many calls until there are enough of them.
func measure(call func(), asked request) [][5]any {
	slices := [][5]any{}
	var spent uint64
	for len(slices) < asked.Slices {
		for start := clock(process); clock(process)-start < asked.LeadIn; {
			call()
		}
		delay, switches, wall := runDelay(), voluntarySwitches(), time.Now()
		// The clocks that count are read last and first: nothing of ours is between them.
		own, cpu := clock(thread), clock(process)
		for i := uint64(0); i < asked.Loops; i++ {
			call()
		}
		cpu, own = clock(process)-cpu, clock(thread)-own
		took, switched := time.Since(wall).Nanoseconds(), voluntarySwitches()-switches
		slices = append(slices, [5]any{cpu, took, own, runDelay() - delay, switched})
		spent += cpu
		if len(slices) >= asked.MinSlices && spent >= asked.CPU {
			break
		}
	}
	return slices
}

const (
	process = 2 // CLOCK_PROCESS_CPUTIME_ID of Linux
	thread  = 3 // CLOCK_THREAD_CPUTIME_ID of Linux
)

// clock gives CPU time in nanoseconds.
func clock(which uintptr) uint64 {
	var t syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, which, uintptr(unsafe.Pointer(&t)), 0)
	return uint64(t.Nano())
}

// schedule is opened once, by the one thread that is measured.
var schedule int

// runDelay gives the nanoseconds that this thread was ready to run and had to wait for a core. The runtime is
// not told of this call: it would wake other threads, whose time would count as the benchmark's.
func runDelay() uint64 {
	var text [64]byte
	got, _, failed := syscall.RawSyscall6(syscall.SYS_PREAD64, uintptr(schedule),
		uintptr(unsafe.Pointer(&text)), uintptr(len(text)), 0, 0, 0)
	if failed != 0 {
		return 0
	}
	if fields := bytes.Fields(text[:got]); len(fields) > 1 {
		delay, _ := strconv.ParseUint(string(fields[1]), 10, 64)
		return delay
	}
	return 0
}

// voluntarySwitches tells how often this thread gave up its core: it waits for something.
func voluntarySwitches() int64 {
	const thread = 1
	var usage syscall.Rusage
	syscall.Getrusage(thread, &usage)
	return usage.Nvcsw
}
