//! What is known of a draw beside the canaries themselves: how its coins fell, and what speaks for or
//! against the audited file and the training being of this draw.

/// Facts of a whole draw, whichever part of it is judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draw {
    /// Coins that said yes, of all canaries.
    pub included: usize,
    pub visibility: Visibility,
    pub told: Told,
    pub training: TrainingFile,
}

/// Whether training could see the canaries, as a check before it says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// Nobody looked, or could.
    #[default]
    Unknown,
    Visible,
    /// Records, which are trained on as they stand in the training file, and it is the one that was drawn:
    /// nothing else is there to look at.
    AsDrawn,
    /// Records whose training file does not lie beside the manifest.
    NotThere,
    /// Some could not be seen, because of these traps: so many, where that tells nobody who was chosen.
    Invisible {
        canaries: Option<usize>,
        traps: Vec<String>,
    },
}

/// What the audited file itself says of who was included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// Canaries of which it says anything.
    pub canaries: usize,
    /// Those of which it says what their coin does not.
    pub contradicted: usize,
}

impl Told {
    /// Pairs of what a file says and what the coin did. A file that says the same of every canary holds
    /// a placeholder: whoever scores does not know the coins.
    pub fn new(pairs: impl IntoIterator<Item = (bool, bool)>) -> Self {
        let mut told = Told::default();
        let mut members = 0;
        for (said, coin) in pairs {
            told.canaries += 1;
            told.contradicted += usize::from(said != coin);
            members += usize::from(said);
        }
        match members == 0 || members == told.canaries {
            true => Told::default(),
            false => told,
        }
    }
}

/// The training file that was drawn with the canaries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TrainingFile {
    /// It does not lie beside the manifest.
    #[default]
    Absent,
    Unchanged,
    /// Its bytes are no longer those that were drawn.
    Changed {
        file: String,
    },
}

#[cfg(test)]
mod tests {
    use super::Told;

    #[test]
    fn a_placeholder_says_nothing_of_coins() {
        let coins = [true, false, true, false];
        let told = |said: [bool; 4]| Told::new(said.into_iter().zip(coins));
        assert_eq!(told([true; 4]), Told::default());
        assert_eq!(told([false; 4]), Told::default());
        let other = told([true, true, false, false]);
        assert_eq!((other.canaries, other.contradicted), (4, 2));
        assert_eq!(told(coins).contradicted, 0);
    }
}
