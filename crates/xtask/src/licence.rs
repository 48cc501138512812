//! Licence expressions (SPDX): `MIT OR Apache-2.0`, `(A AND B) OR C`, `A WITH exception`.

/// Whether the licences in `allowed` suffice for the expression. The old `A/B` means `A OR B`; an
/// exception to a licence only adds permissions. What cannot be read is not allowed.
pub(crate) fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Reader { words: &words, allowed };
    reader.either() == Some(true) && reader.words.is_empty()
}

/// Reads from the front of `words`; `None` = not an expression.
struct Reader<'a> {
    words: &'a [&'a str],
    allowed: &'a [String],
}

impl<'a> Reader<'a> {
    /// `both OR both …`
    fn either(&mut self) -> Option<bool> {
        let mut allowed = self.both()?;
        while self.take("OR") {
            allowed |= self.both()?;
        }
        Some(allowed)
    }

    /// `one AND one …`
    fn both(&mut self) -> Option<bool> {
        let mut allowed = self.one()?;
        while self.take("AND") {
            allowed &= self.one()?;
        }
        Some(allowed)
    }

    /// A licence, or an expression in brackets.
    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let allowed = self.either()?;
            return self.take(")").then_some(allowed);
        }
        let licence = self.next().filter(|word| !["OR", "AND", "WITH", ")"].contains(word))?;
        if self.take("WITH") {
            self.next()?;
        }
        Some(self.allowed.iter().any(|name| name == licence))
    }

    fn take(&mut self, word: &str) -> bool {
        let is_next = self.words.first() == Some(&word);
        if is_next {
            self.words = &self.words[1..];
        }
        is_next
    }

    fn next(&mut self) -> Option<&'a str> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_is_allowed_when_one_of_its_ways_is() {
        let allowed = ["MIT".to_owned(), "Apache-2.0".to_owned()];
        for (expression, expected) in [
            ("MIT", true),
            ("GPL-3.0", false),
            ("MIT OR GPL-3.0", true),
            ("MIT AND GPL-3.0", false),
            ("Unlicense/MIT", true),
            ("(MIT OR GPL-3.0) AND Apache-2.0", true),
            ("(MIT AND GPL-3.0) OR Zlib", false),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("MIT OR", false),
            ("(MIT", false),
            ("MIT MIT", false),
            ("", false),
        ] {
            assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
        }
    }
}
