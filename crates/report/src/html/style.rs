//! The page's style: its own, and the colours of the figures in light and dark.

use crate::figures;

const SHEET: &str = include_str!("assets/report.css");

/// The whole style sheet.
pub fn sheet() -> String {
    SHEET.to_owned() + &figures::style("")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The light and the dark colour behind a name.
    fn pair(name: &str) -> [String; 2] {
        let sheet = sheet();
        let start = sheet.find(&format!("{name}: light-dark(")).or_else(|| {
            let start = sheet.find(&format!(".{name}{{--ink:light-dark("))?;
            Some(start)
        });
        let rest = &sheet[start.expect(name)..];
        let rest = &rest[rest.find("light-dark(").unwrap() + 11..];
        let (light, rest) = rest.split_once(',').unwrap();
        let (dark, _) = rest.split_once(')').unwrap();
        [light.trim().to_owned(), dark.trim().to_owned()]
    }

    /// Relative luminance (WCAG 2.2).
    fn luminance(colour: &str) -> f64 {
        let channel = |place: usize| {
            let byte = u8::from_str_radix(&colour[place..place + 2], 16).unwrap();
            let share = f64::from(byte) / 255.0;
            match share <= 0.04045 {
                true => share / 12.92,
                false => ((share + 0.055) / 1.055).powf(2.4),
            }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn words_stand_out_from_their_ground() {
        let words = ["--text", "--soft", "--link"];
        let signs = [
            "pass",
            "fail",
            "inconclusive",
            "source-retrieved",
            "source-pretrained",
        ];
        for ground in ["--paper", "--raised"] {
            for name in words.iter().chain(&signs) {
                for (ink, paper) in pair(name).iter().zip(pair(ground)) {
                    let found = contrast(ink, &paper);
                    assert!(
                        found >= 4.5,
                        "{name} on {ground}: {found:.2} ({ink} on {paper})"
                    );
                }
            }
        }
    }
}
