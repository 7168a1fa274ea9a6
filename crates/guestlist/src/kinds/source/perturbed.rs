//! Texts whose source is asked for, with their perturbed inputs.

use attacks::source::perturb::draws;
use attacks::source::{Input, Masks, Perturbed, Vocabulary, perturb};
use formats::texts::Item;
use stats::streams::{Seed, shuffle};

use super::basis::Basis;
use super::captions::Caption;

/// One text: an item's own, or the caption of its picture through so much noise.
pub struct PerturbedText {
    /// The item's place.
    pub item: usize,
    pub id: String,
    pub sigma: Option<f64>,
    /// Looked at for the noise sweep alone.
    pub swept: bool,
    /// Numbers its random draws: the same for the same id, whatever else is audited.
    pub number: u64,
    pub input: Input,
    pub masks: Masks,
    pub copies: Vec<Perturbed>,
    /// Asked in full, settled or not.
    pub checked: bool,
    question: String,
}

impl PerturbedText {
    /// What is asked of the copy in this row.
    pub fn query(&self, row: usize) -> String {
        self.question.replace("{text}", &self.copies[row].text)
    }

    /// What is asked of the copy in this row, or of the text as it is; nothing where there is no such
    /// row.
    pub fn asked(&self, row: Option<usize>) -> Option<String> {
        match row {
            None => Some(self.plain_query()),
            Some(row) => (row < self.copies.len()).then(|| self.query(row)),
        }
    }

    /// What is asked of the text before it is perturbed.
    pub fn plain_query(&self) -> String {
        self.question.replace("{text}", self.input.text())
    }
}

/// Every text there is: of texts their own, of pictures their captions, where they have one.
pub fn subjects(basis: &Basis, captions: &[Caption]) -> Vec<PerturbedText> {
    let texts = texts(&basis.items, captions);
    let vocabulary = Vocabulary::new(texts.iter().map(|text| text.words));
    let mut subjects: Vec<PerturbedText> = texts
        .iter()
        .map(|text| subject(basis, text, &vocabulary))
        .collect();
    choose_checked(basis, &mut subjects);
    subjects
}

/// A text before it is perturbed.
struct Text<'a> {
    item: usize,
    sigma: Option<f64>,
    swept: bool,
    words: &'a str,
}

fn texts<'a>(items: &'a [Item], captions: &'a [Caption]) -> Vec<Text<'a>> {
    let own = items.iter().enumerate().filter_map(|(item, of)| {
        Some(Text {
            item,
            sigma: None,
            swept: false,
            words: of.text()?,
        })
    });
    let described = captions.iter().filter_map(|caption| {
        Some(Text {
            item: caption.item,
            sigma: Some(caption.sigma),
            swept: caption.swept,
            words: caption.text.as_deref()?,
        })
    });
    own.chain(described).collect()
}

fn subject(basis: &Basis, text: &Text, vocabulary: &Vocabulary) -> PerturbedText {
    let item = &basis.items[text.item];
    let (settings, seed) = (&basis.settings, Seed(basis.seed));
    let id = id(item, text.sigma.filter(|_| text.swept));
    let number = number(&id);
    let input = Input::new(text.words);
    let masks = Masks::draw(
        settings.perturbations,
        input.len(),
        settings.keep,
        seed,
        number,
    );
    let copy = |(row, kept): (usize, &[bool])| {
        let rng = &mut draws(seed, number, row);
        perturb(&input, kept, settings.perturbation, vocabulary, rng)
    };
    PerturbedText {
        item: text.item,
        sigma: text.sigma,
        swept: text.swept,
        copies: masks.iter().enumerate().map(copy).collect(),
        question: item.prompt.as_ref().unwrap_or(&settings.question).clone(),
        checked: false,
        id,
        number,
        input,
        masks,
    }
}

/// An item's own, and the noise where that is one of a sweep.
pub fn id(item: &Item, swept: Option<f64>) -> String {
    match swept {
        Some(sigma) => format!("{} (noise {sigma})", item.id),
        None => item.id.clone(),
    }
}

/// The first bytes of the id's digest.
fn number(id: &str) -> u64 {
    let digest = formats::files::sha256_of(id.as_bytes());
    u64::from_str_radix(&digest[..16], 16).unwrap_or_default()
}

/// A share of them, drawn by the seed; at least one where any is wanted.
fn choose_checked(basis: &Basis, subjects: &mut [PerturbedText]) {
    let mut places: Vec<usize> = (0..subjects.len())
        .filter(|&place| !subjects[place].swept)
        .collect();
    let count = checked_count(basis.settings.checked, places.len());
    shuffle(&mut Seed(basis.seed).stream("sma checked"), &mut places);
    for &place in &places[..count] {
        subjects[place].checked = true;
    }
}

pub fn checked_count(share: f64, texts: usize) -> usize {
    ((share * texts as f64).ceil() as usize).min(texts)
}
