//! Texts whose source is asked for, with their perturbed inputs.

use attacks::source::perturb::draws;
use attacks::source::{Input, Masks, Perturbed, Vocabulary, perturb};
use formats::texts::Item;
use stats::streams::{Seed, shuffle};

use super::Plan;
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

    /// What is asked of the text before it is perturbed.
    pub fn plain_query(&self) -> String {
        self.question.replace("{text}", self.input.text())
    }
}

/// Every text there is: of texts their own, of pictures their captions, where they have one.
pub fn subjects(checked: &Plan, captions: &[Caption]) -> Vec<PerturbedText> {
    let texts = texts(&checked.items, captions);
    let vocabulary = Vocabulary::new(texts.iter().map(|text| text.words));
    let mut subjects: Vec<PerturbedText> = texts
        .iter()
        .map(|text| subject(checked, text, &vocabulary))
        .collect();
    choose_checked(checked, &mut subjects);
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

fn subject(checked: &Plan, text: &Text, vocabulary: &Vocabulary) -> PerturbedText {
    let item = &checked.items[text.item];
    let settings = &checked.config.source;
    let seed = Seed(checked.config.seed);
    let id = match text.sigma.filter(|_| text.swept) {
        Some(sigma) => format!("{} (noise {sigma})", item.id),
        None => item.id.clone(),
    };
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

/// The first bytes of the id's digest.
fn number(id: &str) -> u64 {
    let digest = formats::files::sha256_of(id.as_bytes());
    u64::from_str_radix(&digest[..16], 16).unwrap_or_default()
}

/// A share of them, drawn by the seed; at least one where any is wanted.
fn choose_checked(checked: &Plan, subjects: &mut [PerturbedText]) {
    let mut places: Vec<usize> = (0..subjects.len())
        .filter(|&place| !subjects[place].swept)
        .collect();
    let count = checked_count(checked.config.source.checked, places.len());
    shuffle(
        &mut Seed(checked.config.seed).stream("sma checked"),
        &mut places,
    );
    for &place in &places[..count] {
        subjects[place].checked = true;
    }
}

pub fn checked_count(share: f64, texts: usize) -> usize {
    ((share * texts as f64).ceil() as usize).min(texts)
}
