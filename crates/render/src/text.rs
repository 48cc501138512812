//! A sentence in which our words and other people's data are kept apart until a [`Pen`] writes it.

use crate::escape::Pen;

/// A sentence, in pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Words(String),
    Strong(String),
    Code(String),
    Prose(String),
    Link { text: String, address: String },
}

impl Text {
    /// Words of ours.
    pub(crate) fn of(words: impl Into<String>) -> Self {
        Self::default().words(words)
    }

    /// A sentence from elsewhere.
    pub(crate) fn quoted(data: impl Into<String>) -> Self {
        Self::default().prose(data)
    }

    pub(crate) fn words(self, words: impl Into<String>) -> Self {
        self.with(Piece::Words(words.into()))
    }

    pub(crate) fn strong(self, words: impl Into<String>) -> Self {
        self.with(Piece::Strong(words.into()))
    }

    pub(crate) fn code(self, data: impl Into<String>) -> Self {
        self.with(Piece::Code(data.into()))
    }

    pub(crate) fn prose(self, data: impl Into<String>) -> Self {
        self.with(Piece::Prose(data.into()))
    }

    /// A word of ours that leads somewhere, where there is an address.
    pub(crate) fn link(self, text: impl Into<String>, address: Option<&str>) -> Self {
        let text = text.into();
        self.with(match address {
            Some(address) => Piece::Link { text, address: address.to_owned() },
            None => Piece::Words(text),
        })
    }

    /// This, then another sentence.
    pub(crate) fn then(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Sentences with words of ours between them.
    pub(crate) fn join(parts: impl IntoIterator<Item = Self>, between: &str) -> Self {
        let mut joined = Self::default();
        for (index, part) in parts.into_iter().enumerate() {
            joined = if index == 0 { joined } else { joined.words(between) }.then(part);
        }
        joined
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The sentence as `pen` writes it.
    pub(crate) fn written(&self, pen: &dyn Pen) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Words(words) => pen.words(words),
            Piece::Strong(words) => pen.strong(words),
            Piece::Code(data) => pen.code(data),
            Piece::Prose(data) => pen.prose(data),
            Piece::Link { text, address } => pen.link(text, address),
        };
        self.0.iter().map(piece).collect()
    }

    fn with(mut self, piece: Piece) -> Self {
        self.0.push(piece);
        self
    }
}
