//! How long GitHub is waited for: a pure decision on what it answered. Requests that only read are
//! asked again after a failure of the network or the server; those that write are not, because they
//! may have been carried out. A request that was turned away for its rate was certainly not carried
//! out, and is asked again whatever it was.

use std::time::Duration;

/// Limits on waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// The pause after a first failure; it doubles from then on.
    pub first: Duration,
    /// The pause after a refusal for too many requests that names none; it doubles as well.
    pub limited: Duration,
    /// All pauses of one request together.
    pub total: Duration,
    /// Most tries of a request that fails.
    pub tries: u32,
    /// Longest wait for one answer.
    pub answer: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            first: Duration::from_secs(1),
            // What GitHub asks for where it says nothing.
            limited: Duration::from_secs(60),
            total: Duration::from_secs(300),
            tries: 4,
            answer: Duration::from_secs(30),
        }
    }
}

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It only reads.
    Read,
    /// It changes something.
    Write,
}

/// What came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Anything that is not worth another try.
    Final,
    /// Too many requests; the pause asked for, if any was.
    Limited(Option<Duration>),
    /// No answer, or a failure of the server.
    Failed,
}

/// What was done about a request so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tried {
    /// How often it failed.
    pub(super) failures: u32,
    /// How often it was turned away for its rate.
    pub(super) limits: u32,
    /// All pauses.
    pub(super) waited: Duration,
}

impl Patience {
    /// The pause before another try; none = no other try.
    pub(super) fn pause(&self, kind: Kind, answer: Answer, tried: &mut Tried) -> Option<Duration> {
        let pause = match answer {
            Answer::Final => return None,
            Answer::Failed => {
                tried.failures += 1;
                let is_over = kind == Kind::Write || tried.failures >= self.tries;
                (!is_over).then(|| doubled(self.first, tried.failures - 1))?
            }
            Answer::Limited(asked) => {
                tried.limits += 1;
                asked.unwrap_or_else(|| doubled(self.limited, tried.limits - 1))
            }
        };
        // A pause that cannot be held to its end helps nobody.
        (tried.waited + pause <= self.total).then(|| {
            tried.waited += pause;
            pause
        })
    }
}

fn doubled(pause: Duration, times: u32) -> Duration {
    pause.saturating_mul(2u32.saturating_pow(times))
}

/// Reads what an answer says about the rate of requests. `now` is in seconds since 1970, as the
/// headers are.
pub(super) fn limit(status: u16, message: &str, headers: Headers<'_>, now: u64) -> Option<Answer> {
    if status != 403 && status != 429 {
        return None;
    }
    let number = |name| headers(name).and_then(|text| text.trim().parse::<u64>().ok());
    // One second more than asked: clocks differ, and a limit is whole seconds.
    let seconds = |n: u64| Some(Duration::from_secs(n.saturating_add(1)));
    if let Some(asked) = number("retry-after") {
        return Some(Answer::Limited(seconds(asked)));
    }
    if number("x-ratelimit-remaining") == Some(0) {
        let reset = number("x-ratelimit-reset").map(|reset| reset.saturating_sub(now));
        return Some(Answer::Limited(reset.and_then(seconds)));
    }
    let lower = message.to_ascii_lowercase();
    let is_named = lower.contains("rate limit") || lower.contains("abuse detection");
    (status == 429 || is_named).then_some(Answer::Limited(None))
}

/// Looks up a header by its lower-case name.
pub(super) type Headers<'h> = &'h dyn Fn(&str) -> Option<String>;

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Patience = Patience {
        first: Duration::from_secs(1),
        limited: Duration::from_secs(60),
        total: Duration::from_secs(300),
        tries: 4,
        answer: Duration::from_secs(30),
    };

    /// The pauses until it gives up.
    fn pauses(kind: Kind, answer: Answer) -> Vec<u64> {
        let mut tried = Tried::default();
        let next = || PATIENCE.pause(kind, answer, &mut tried);
        std::iter::from_fn(next).map(|pause| pause.as_secs()).collect()
    }

    #[test]
    fn reading_is_tried_four_times_and_writing_once() {
        assert_eq!(pauses(Kind::Read, Answer::Failed), [1, 2, 4]);
        assert_eq!(pauses(Kind::Write, Answer::Failed), [0u64; 0]);
        assert_eq!(pauses(Kind::Read, Answer::Final), [0u64; 0]);
    }

    #[test]
    fn a_limit_without_a_time_is_waited_for_longer_and_longer_within_the_total() {
        // 60 + 120 = 180; 240 more would be over 300.
        assert_eq!(pauses(Kind::Write, Answer::Limited(None)), [60, 120]);
        assert_eq!(pauses(Kind::Read, Answer::Limited(Some(Duration::from_secs(200)))), [200]);
        assert_eq!(pauses(Kind::Read, Answer::Limited(Some(Duration::from_secs(3600)))), [0u64; 0]);
    }

    fn of(status: u16, message: &str, headers: &[(&str, &str)]) -> Option<Answer> {
        let get = |name: &str| {
            headers.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned())
        };
        limit(status, message, &get, 1_000)
    }

    #[test]
    fn limits_are_told_from_missing_permissions() {
        let after = |n| Some(Answer::Limited(Some(Duration::from_secs(n))));
        assert_eq!(of(403, "x", &[("retry-after", "7")]), after(8));
        assert_eq!(
            of(403, "x", &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1060")]),
            after(61)
        );
        assert_eq!(
            of(403, "x", &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "900")]),
            after(1)
        );
        let secondary = "You have exceeded a secondary rate limit. Please wait a few minutes";
        let remaining = [("x-ratelimit-remaining", "4800")];
        assert_eq!(of(403, secondary, &remaining), Some(Answer::Limited(None)));
        assert_eq!(of(429, "", &[]), Some(Answer::Limited(None)));
        assert_eq!(of(403, "Resource not accessible by integration", &remaining), None);
        assert_eq!(of(200, secondary, &[("retry-after", "7")]), None);
        assert_eq!(of(403, "x", &[("retry-after", "soon")]), None);
    }
}
