//! JSON Lines, read without trust in their length.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Longer lines are passed over.
const LONGEST: u64 = 4 << 20;
/// What lies beyond is not looked at.
const MOST: u64 = 1 << 30;

/// Hands lines on until that is enough. Says whether the file was looked at to its end, or to where it
/// was enough.
pub fn each(path: &Path, mut enough: impl FnMut(&[u8]) -> bool) -> std::io::Result<bool> {
    let mut file = BufReader::with_capacity(1 << 16, File::open(path)?);
    let mut line = Vec::new();
    let mut read = 0;
    while read < MOST {
        line.clear();
        let length = file.by_ref().take(LONGEST).read_until(b'\n', &mut line)? as u64;
        if length == 0 {
            return Ok(true);
        }
        read += length;
        if length == LONGEST && line.last() != Some(&b'\n') {
            read += skip(&mut file)?;
            continue;
        }
        if enough(&line) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Passes over the rest of a line.
fn skip(file: &mut impl BufRead) -> std::io::Result<u64> {
    let mut skipped = 0;
    loop {
        let piece = file.fill_buf()?;
        let (length, end) = match piece.iter().position(|byte| *byte == b'\n') {
            Some(place) => (place + 1, true),
            None => (piece.len(), piece.is_empty()),
        };
        file.consume(length);
        skipped += length as u64;
        if end {
            return Ok(skipped);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_end_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let long = "x".repeat(LONGEST as usize + 100_000);
        std::fs::write(&path, format!("one\n{long}\nlast")).unwrap();
        let mut seen = Vec::new();
        let whole = each(&path, |line| {
            seen.push(String::from_utf8_lossy(line).trim().to_owned());
            false
        });
        assert!(whole.unwrap());
        assert_eq!(seen, ["one", "last"]);
    }
}
