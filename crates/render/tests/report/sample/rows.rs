//! Rows, made up one by one.

use bench_results::*;

/// The change of a row: ratio, low, high.
pub(crate) type Interval = (f64, f64, f64);

/// One row under construction.
pub(crate) struct RowOf(pub(crate) Row);

/// A row of time in nanoseconds on base, measured and judged.
pub(crate) fn row(
    name: &str,
    verdict: Verdict,
    base_ns: f64,
    (ratio, low, high): Interval,
) -> RowOf {
    let id = benchmark_id("asv", name, &[]);
    let measured =
        |center: f64| Measured { center: Some(center), wall: Some(center), samples: Vec::new() };
    RowOf(Row {
        benchmark: id.clone(),
        id,
        comparison: "default".into(),
        machine: "m".into(),
        suite: "asv".into(),
        harness: "asv".into(),
        name: name.into(),
        params: Vec::new(),
        metric: "time".into(),
        unit: "ns".into(),
        better: Better::Lower,
        verdict: Some(verdict),
        reason: None,
        stage: Stage::Measured,
        schedule: Some(Schedule::Alternate),
        clock: Some(Clock::Cpu),
        pairing: Pairing::Paired,
        labels: Vec::new(),
        rule: RowRule { threshold: 0.03, tolerance: 0.01, absolute: 0.0 },
        blocks_used: 12,
        decided_at: Some(12),
        family: 100,
        log_e: None,
        change: Some(Change {
            kind: ChangeKind::Ratio,
            ratio,
            low: Some(low),
            high: Some(high),
            confidence: if verdict == Verdict::Unchanged { 0.9 } else { 0.95 },
            detectable: Some(0.031),
        }),
        routing: None,
        calibration: None,
        void: Void::default(),
        noise: Some(Noise { sd: 0.008, floor: None }),
        cost_s: 1.3,
        source: None,
        base: Some(measured(base_ns)),
        head: Some(measured(base_ns * ratio)),
        blocks: Vec::new(),
        failure: None,
    })
}

/// A row without measurements.
pub(crate) fn bare(name: &str, verdict: Verdict) -> RowOf {
    let mut row = row(name, verdict, 1.0, (1.0, 1.0, 1.0)).0;
    (row.base, row.head, row.change, row.schedule, row.clock) = (None, None, None, None, None);
    row.blocks_used = 0;
    RowOf(row)
}

impl RowOf {
    pub(crate) fn params(mut self, params: &[(&str, &str)]) -> Self {
        self.0.params = params.iter().map(|(name, value)| Param::new(*name, *value)).collect();
        self.0.id = benchmark_id(&self.0.suite, &self.0.name, &self.0.params);
        self.0.benchmark = self.0.id.clone();
        self
    }

    pub(crate) fn metric(mut self, metric: &str, unit: &str, better: Better) -> Self {
        self.0.id = row_id(&self.0.benchmark, metric, false);
        (self.0.metric, self.0.unit, self.0.better) = (metric.into(), unit.into(), better);
        self.0.clock = None;
        self
    }

    pub(crate) fn reason(mut self, reason: &str) -> Self {
        self.0.reason = Some(reason.into());
        self
    }

    pub(crate) fn label(mut self, label: &str) -> Self {
        self.0.labels.push(label.into());
        self
    }

    pub(crate) fn detectable(mut self, size: f64) -> Self {
        if let Some(change) = &mut self.0.change {
            change.detectable = Some(size);
        }
        self
    }

    pub(crate) fn blocks(mut self, blocks: u32) -> Self {
        self.0.blocks_used = blocks;
        self
    }

    pub(crate) fn wall(mut self, reason: &str) -> Self {
        self.0.clock = Some(Clock::Wall);
        self.0.schedule = Some(Schedule::Sequential);
        self.0.routing = Some(Routing {
            blocked_base: Some(0.4),
            blocked_head: Some(0.4),
            parallel_base: None,
            parallel_head: None,
            voluntary_switches: 12,
            decision: Clock::Wall,
            reason: reason.into(),
            demoted_at: None,
        });
        self
    }

    pub(crate) fn difference(mut self, by: f64, low: f64, high: f64) -> Self {
        if let (Some(change), Some(head)) = (&mut self.0.change, &mut self.0.head) {
            change.kind = ChangeKind::Difference;
            (change.ratio, change.low, change.high) = (by, Some(low), Some(high));
            head.center = self.0.base.as_ref().and_then(|base| base.center).map(|base| base + by);
        }
        self
    }

    pub(crate) fn failure(
        mut self,
        side: SideName,
        stage: &str,
        message: &str,
        tail: &str,
    ) -> Self {
        self.0.failure = Some(Failure {
            side: Some(side),
            stage: stage.into(),
            message: message.into(),
            stderr_tail: tail.into(),
        });
        self
    }

    pub(crate) fn with(mut self, change: impl FnOnce(&mut Row)) -> Self {
        change(&mut self.0);
        self
    }
}

/// Unchanged rows of several classes, some with parameters.
pub(crate) fn unchanged(n: usize) -> Vec<RowOf> {
    const CLASSES: [&str; 4] = ["json.TimeDumps", "parse.Marker", "version.Compare", "io.Lines"];
    (0..n)
        .map(|i| {
            let class = CLASSES[i % CLASSES.len()];
            let wobble = 1.0 + ((i * 7919) % 11) as f64 / 1000.0 - 0.005;
            let base = 1000.0 * 1.17_f64.powf((i % 60) as f64);
            let interval = (wobble, wobble - 0.006, wobble + 0.007);
            let name = format!("{class}.time_{}", ["short", "long", "warm"][i / 4 % 3]);
            let size = (10 * (1 + i / 12)).to_string();
            row(&name, Verdict::Unchanged, base, interval).params(&[("n", &size)])
        })
        .collect()
}
