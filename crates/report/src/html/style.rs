//! The page's style: its own, and the colours of the figures in light and dark.

use crate::figures::palette;

const SHEET: &str = include_str!("assets/report.css");

/// The whole style sheet.
pub fn sheet() -> String {
    let mut sheet = SHEET.to_owned();
    for (class, light, dark) in palette() {
        sheet += &format!(".{class}{{--ink:light-dark({light},{dark})}}\n");
    }
    sheet
}
