//! Spans of time as people say them.

/// `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`.
pub fn span(seconds: f64) -> String {
    if seconds < 10.0 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::span;

    #[test]
    fn spans_read_well_at_every_size() {
        let said = [0.04, 9.96, 59.4, 61.0, 7500.0].map(span);
        assert_eq!(said, ["0.0 s", "10.0 s", "59 s", "1 min 1 s", "2 h 5 min"]);
    }
}
