//! Measuring a pull request again.
