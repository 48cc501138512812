//! Which word a person may have meant.

/// `, did you mean `threshold`?`, or the whole choice where nothing is near.
pub(crate) fn hint<'a>(word: &str, choices: impl IntoIterator<Item = &'a str>) -> String {
    let choices: Vec<&str> = choices.into_iter().collect();
    if let Some(near) = closest(word, &choices) {
        return format!(", did you mean `{near}`?");
    }
    match choices.as_slice() {
        [] => String::new(),
        [only] => format!(" (there is only `{only}`)"),
        _ => format!(" (there are {})", listed(&choices)),
    }
}

/// `` `a`, `b`, `c` ``.
pub(crate) fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// The nearest of the choices, if one is near enough to be a slip of the hand.
fn closest<'a>(word: &str, choices: &[&'a str]) -> Option<&'a str> {
    choices
        .iter()
        .map(|choice| (strsim::damerau_levenshtein(word, choice), *choice))
        .filter(|(distance, choice)| *distance <= (choice.chars().count() / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, choice)| choice)
}

#[cfg(test)]
mod tests {
    use super::hint;

    #[test]
    fn a_slip_of_the_hand_is_put_right_and_a_stranger_gets_the_choice() {
        assert_eq!(hint("thresold", ["threshold", "tolerance"]), ", did you mean `threshold`?");
        assert_eq!(hint("colour", ["alpha", "base"]), " (there are `alpha`, `base`)");
        assert_eq!(hint("x", ["asv"]), " (there is only `asv`)");
        assert_eq!(hint("x", []), "");
    }
}
