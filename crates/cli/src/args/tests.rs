//! What holds for all flags, and for those with rules of their own.

use super::*;

fn parse(line: &str) -> Result<Cli, clap::Error> {
    Cli::try_parse_from(line.split_whitespace())
}

fn flags(line: &str) -> bench_core::config::Flags {
    match parse(line).unwrap().command {
        Some(Command::Run(args)) => args.flags(),
        other => panic!("not a run: {other:?}"),
    }
}

/// Every argument of every subcommand.
fn arguments() -> Vec<(String, clap::Arg)> {
    let mut command = command();
    command.build();
    let all = command.get_subcommands().flat_map(|sub| {
        sub.get_arguments().map(|argument| (sub.get_name().to_owned(), argument.clone()))
    });
    all.collect()
}

#[test]
fn the_definition_has_no_contradictions() {
    command().debug_assert();
}

#[test]
fn every_visible_argument_says_what_it_is_for() {
    for (sub, argument) in arguments().iter().filter(|(_, argument)| !argument.is_hide_set()) {
        assert!(argument.get_help().is_some(), "{sub} {}", argument.get_id());
    }
}

#[test]
fn every_subcommand_of_the_contract_is_known() {
    let contract = [
        "run",
        "compare",
        "snippet",
        "list",
        "render",
        "comment",
        "merge",
        "history",
        "bisect",
        "doctor",
        "self-test",
        "init",
        "demo",
        "schema",
        "completions",
    ];
    let shown = command();
    let shown = shown.get_subcommands().filter(|sub| !sub.is_hide_set());
    let names: Vec<String> = shown.map(|sub| sub.get_name().to_owned()).collect();
    assert_eq!(names, contract);
}

#[test]
fn every_flag_of_the_contract_is_known_to_run() {
    let contract = "base head base-python head-python base-path head-path base-var head-var \
        base-env head-env config suite filter repeat max-blocks time-budget schedule clock \
        threshold tolerance alpha seed cpu-list shard fail-on out format all measure-identical \
        dry-run quiet verbose color progress";
    let known: Vec<String> = arguments()
        .iter()
        .filter(|(sub, _)| sub == "run")
        .filter_map(|(_, argument)| argument.get_long().map(str::to_owned))
        .collect();
    for flag in contract.split_whitespace() {
        assert!(known.iter().any(|name| name == flag), "--{flag}");
    }
}

#[test]
fn global_flags_may_stand_before_and_after_the_subcommand() {
    for line in ["bench-action -C x -vv run", "bench-action run -C x -vv"] {
        let cli = parse(line).unwrap();
        assert_eq!(cli.global.directory, Some(PathBuf::from("x")));
        assert_eq!(cli.global.verbose, 2);
    }
}

#[test]
fn flags_reach_the_configuration_under_their_names() {
    let line = "bench-action run --base main --head worktree --filter a --filter b --threshold 5% \
        --base-var A=1 --schedule duet --fail-on never --shard 2/4 --all --measure-identical";
    let flags = flags(line);
    assert_eq!(flags.base.as_deref(), Some("main"));
    assert_eq!(flags.head.as_deref(), Some("worktree"));
    assert_eq!(flags.filters, ["a", "b"]);
    assert_eq!(flags.threshold.as_deref(), Some("5%"));
    assert_eq!(flags.base_variables, ["A=1"]);
    assert_eq!(flags.schedule.as_deref(), Some("duet"));
    assert_eq!(flags.fail_on.as_deref(), Some("never"));
    assert_eq!(flags.shard.as_deref(), Some("2/4"));
    assert!(flags.all && flags.measure_identical);
}

#[test]
fn an_existing_build_needs_its_counterpart_and_excludes_a_revision() {
    assert!(parse("bench-action run --base-python a --head-python b").is_ok());
    assert!(parse("bench-action run --base-python a").is_err());
    assert!(parse("bench-action run --base-path a --head-path b --head HEAD").is_err());
}

#[test]
fn a_wrong_schedule_is_answered_with_the_right_ones() {
    let message = parse("bench-action run --schedule dual").unwrap_err().to_string();
    assert!(message.contains("auto, duet, alternate, sequential"), "{message}");
}

#[test]
fn a_snippet_measures_the_blocks_asked_for_and_builds_what_it_is_told_to() {
    let flags = |line: &str| match parse(line).unwrap().command {
        Some(Command::Snippet(args)) => args.flags(),
        other => panic!("not a snippet: {other:?}"),
    };
    let budget = |line| flags(line).time_budget;
    assert_eq!(budget("bench-action snippet a -P n=1,2").as_deref(), Some("28s"));
    assert_eq!(budget("bench-action snippet a --repeat 40").as_deref(), Some("600s"));
    let existing = flags("bench-action snippet a --against b");
    assert!(existing.base_path.is_some() && existing.base.is_none());
    let built = flags("bench-action snippet a --against b --build");
    assert!(built.base_path.is_none() && built.base.as_deref() == Some("HEAD"));
    // Two statements on the head that is named.
    let named = flags("bench-action snippet a --against b --build --head v2");
    assert_eq!(named.base.as_deref(), Some("v2"));
}
