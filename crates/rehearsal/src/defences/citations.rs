//! `hide-citations`: the marks of sources taken out of an answer.

/// The text without `[1]` to `[most]` and the blank before each.
pub fn strip_marks(text: &str, most: usize) -> String {
    let mut bare = text.to_owned();
    for number in 1..=most {
        for mark in [format!(" [{number}]"), format!("[{number}]")] {
            bare = bare.replace(&mark, "");
        }
    }
    bare
}

/// The numbers, from 1 to `most`, that a text cites.
pub fn cited(text: &str, most: usize) -> Vec<usize> {
    (1..=most)
        .filter(|number| text.contains(&format!("[{number}]")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_sources_go_and_other_brackets_stay() {
        assert_eq!(
            strip_marks("Cats sit [1]. Dogs [2][1] run [17].", 2),
            "Cats sit. Dogs run [17]."
        );
        assert_eq!(cited("Cats sit [1]. Dogs run [3] [9].", 4), [1, 3]);
    }
}
